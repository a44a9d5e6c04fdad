//! Who may talk to the server.

use axum::http::{HeaderMap, header};

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It was sent to a name that is not ours, as a page that rebinds its name to loopback would.
    Host,
    /// A page of somebody else's sent it.
    Origin,
}

/// Checks `Host` and `Origin` of a request to `port`.
///
/// Browsers send an origin with every socket and every request that another page makes; what sends none is no browser,
/// and needs the token all the same.
pub(crate) fn check(headers: &HeaderMap, port: u16) -> Result<(), Refusal> {
    let hosts = [
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        format!("[::1]:{port}"),
    ];
    let mut named = headers.get_all(header::HOST).iter();
    let host = named.next().and_then(|host| host.to_str().ok());
    let ours = host.is_some_and(|host| hosts.iter().any(|known| known.eq_ignore_ascii_case(host)));
    if !ours || named.next().is_some() {
        return Err(Refusal::Host);
    }
    let foreign = headers.get_all(header::ORIGIN).iter().any(|origin| {
        let own = host.map(|host| format!("http://{host}"));
        origin.to_str().ok().map(str::to_ascii_lowercase) != own.map(|own| own.to_ascii_lowercase())
    });
    let site = headers
        .get("sec-fetch-site")
        .and_then(|site| site.to_str().ok());
    let mode = headers
        .get("sec-fetch-mode")
        .and_then(|mode| mode.to_str().ok());
    // Following a link from elsewhere is fine: the link has the token in it.
    let smuggled = matches!(site, Some("cross-site" | "same-site")) && mode != Some("navigate");
    if foreign || smuggled {
        return Err(Refusal::Origin);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        list.iter()
            .map(|(name, value)| {
                let value = axum::http::HeaderValue::from_str(value);
                ((*name).parse().expect("a name"), value.expect("a value"))
            })
            .collect()
    }

    #[test]
    fn only_our_own_names_and_pages() {
        type Case<'a> = (&'a [(&'static str, &'a str)], Result<(), Refusal>);
        let cases: &[Case<'_>] = &[
            (&[("host", "127.0.0.1:80")], Ok(())),
            (&[("host", "LOCALHOST:80")], Ok(())),
            (&[("host", "[::1]:80")], Ok(())),
            (&[], Err(Refusal::Host)),
            (&[("host", "127.0.0.1:81")], Err(Refusal::Host)),
            (&[("host", "127.0.0.1")], Err(Refusal::Host)),
            (&[("host", "rebound.example:80")], Err(Refusal::Host)),
            (&[("host", "127.0.0.1.example:80")], Err(Refusal::Host)),
            (
                &[("host", "127.0.0.1:80"), ("origin", "http://127.0.0.1:80")],
                Ok(()),
            ),
            (
                &[("host", "127.0.0.1:80"), ("origin", "http://127.0.0.1:81")],
                Err(Refusal::Origin),
            ),
            (
                &[("host", "127.0.0.1:80"), ("origin", "https://127.0.0.1:80")],
                Err(Refusal::Origin),
            ),
            (
                &[("host", "127.0.0.1:80"), ("origin", "null")],
                Err(Refusal::Origin),
            ),
            (
                &[("host", "127.0.0.1:80"), ("sec-fetch-site", "cross-site")],
                Err(Refusal::Origin),
            ),
            (
                &[
                    ("host", "127.0.0.1:80"),
                    ("sec-fetch-site", "cross-site"),
                    ("sec-fetch-mode", "navigate"),
                ],
                Ok(()),
            ),
        ];
        for (list, expected) in cases {
            assert_eq!(check(&headers(list), 80), *expected, "{list:?}");
        }
    }
}
