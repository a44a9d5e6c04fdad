//! The page's files, built from `ui/` and kept in the binary.

/// Media type and bytes of the file at a path below the token; the page itself is at none.
pub(crate) fn find(path: &str) -> Option<(&'static str, &'static [u8])> {
    Some(match path {
        "" => (
            "text/html; charset=utf-8",
            include_bytes!("../page/index.html"),
        ),
        "early.js" => (
            "text/javascript; charset=utf-8",
            include_bytes!("../page/early.js"),
        ),
        "page.js" => (
            "text/javascript; charset=utf-8",
            include_bytes!("../page/page.js"),
        ),
        "page.css" => (
            "text/css; charset=utf-8",
            include_bytes!("../page/page.css"),
        ),
        "sans.woff2" => ("font/woff2", include_bytes!("../page/sans.woff2")),
        "mono.woff2" => ("font/woff2", include_bytes!("../page/mono.woff2")),
        "icon.svg" => ("image/svg+xml", include_bytes!("../page/icon.svg")),
        _ => return None,
    })
}
