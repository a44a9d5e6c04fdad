//! Source maps of version 3, as AssemblyScript writes them: one generated "line", whose columns are
//! byte offsets in the module's file.

use serde::Deserialize;

use crate::lines::{Row, RowSource};
use crate::module::ModuleIndex;
use crate::sources::{Files, MAX_FILE_BYTES, SourceProvider, join};
use crate::warning::{DebugPart, Problem, Warnings};

/// The JSON of a source map.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Json {
    version: u32,
    #[serde(default)]
    source_root: Option<String>,
    #[serde(default)]
    sources: Vec<Option<String>>,
    #[serde(default)]
    sources_content: Option<Vec<Option<String>>>,
    mappings: String,
}

/// The rows of the module's source map, in the order of the map; none if it has no map.
pub(crate) fn rows(
    module: &ModuleIndex,
    provider: &dyn SourceProvider,
    files: &mut Files,
    warnings: &mut Warnings,
) -> Vec<Row> {
    let Some(url) = module.source_map_url(warnings) else {
        return Vec::new();
    };
    let stays = |offset: i64| u32::try_from(offset).ok();
    rows_of(&url, &stays, provider, files, warnings)
}

/// The rows of the source map at `url`; `moved` says where code is that the map has at an offset.
pub(crate) fn rows_of(
    url: &str,
    moved: &dyn Fn(i64) -> Option<u32>,
    provider: &dyn SourceProvider,
    files: &mut Files,
    warnings: &mut Warnings,
) -> Vec<Row> {
    let Some(map) = read(url, provider, warnings) else {
        return Vec::new();
    };
    let root = map.source_root.as_deref().unwrap_or("");
    let contents = map.sources_content.unwrap_or_default();
    let mut ids = Vec::new();
    for (i, source) in map.sources.iter().enumerate() {
        let content = contents.get(i).and_then(Option::as_deref);
        let path = source.as_deref().unwrap_or("unknown");
        // AssemblyScript's root is the module's name, not a folder: with the text at hand, the
        // plain path says more.
        let path = if content.is_some() {
            path.to_owned()
        } else {
            join(root, path)
        };
        let id = files.intern(&path, content, provider);
        if id.is_none() {
            warnings.push(DebugPart::SourceMap, 0, Problem::TooLarge);
        }
        ids.push(id);
    }
    let mut rows = Vec::new();
    let end = decode(&map.mappings, |segment| {
        let source = segment.source.and_then(|(index, line, column)| {
            let file = (*ids.get(usize::try_from(index).ok()?)?)?;
            let line = u32::try_from(line).ok()?.checked_add(1)?;
            let column = u32::try_from(column).ok()?.checked_add(1)?;
            Some(RowSource {
                file,
                line,
                column,
                is_stmt: true,
            })
        });
        if let Some(offset) = moved(segment.offset) {
            rows.push(Row {
                offset,
                source,
                prologue_end: false,
            });
        }
    });
    if let Err(at) = end {
        warnings.push(DebugPart::SourceMap, at as u64, Problem::BadMappings);
    }
    rows
}

/// A source map, if it can be read.
fn read(url: &str, provider: &dyn SourceProvider, warnings: &mut Warnings) -> Option<Json> {
    let Some(text) = fetch(url, provider) else {
        warnings.push(
            DebugPart::SourceMap,
            0,
            Problem::MissingSourceMap(shorten(url)),
        );
        return None;
    };
    // An embedded map is as large as the module lets it be.
    if text.len() as u64 > MAX_FILE_BYTES && !url.starts_with("data:") {
        warnings.push(DebugPart::SourceMap, 0, Problem::TooLarge);
        return None;
    }
    // Some servers and compilers put a line before the JSON so that it is no script.
    let json = text.strip_prefix(b")]}'").unwrap_or(&text);
    let map: Json = match serde_json::from_slice(json) {
        Ok(map) => map,
        Err(error) => {
            let offset = error.column() as u64;
            warnings.push(
                DebugPart::SourceMap,
                offset,
                Problem::NotASourceMap(error.to_string()),
            );
            return None;
        }
    };
    if map.version != 3 {
        let problem = Problem::NotASourceMap(format!("version {}", map.version));
        warnings.push(DebugPart::SourceMap, 0, problem);
        return None;
    }
    Some(map)
}

/// A map's bytes: inline in a data URL, or a file beside the module. The web is not asked.
fn fetch(url: &str, provider: &dyn SourceProvider) -> Option<Vec<u8>> {
    let Some(data) = url.strip_prefix("data:") else {
        let path = url.strip_prefix("file://").unwrap_or(url);
        return provider.read(path);
    };
    let (kind, body) = data.split_once(',')?;
    if kind.ends_with(";base64") {
        base64(body)
    } else {
        Some(percent_decoded(body))
    }
}

fn shorten(url: &str) -> String {
    if url.starts_with("data:") {
        "the embedded map".to_owned()
    } else {
        url.to_owned()
    }
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for byte in text.bytes().filter(|&byte| byte != b'=') {
        bits = bits << 6 | u32::from(digit(byte)?);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = (byte == b'%')
            .then(|| after.get(..2))
            .flatten()
            .and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        rest = match code {
            Some(code) => {
                bytes.push(code);
                after.get(2..).unwrap_or(&[])
            }
            None => {
                bytes.push(byte);
                after
            }
        };
    }
    bytes
}

/// The value of a base64 digit.
fn digit(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

/// One segment of the mappings, its numbers summed up.
#[derive(Debug, PartialEq)]
struct Segment {
    offset: i64,
    /// Index of the source, line and column, all from 0; none for code without a source.
    source: Option<(i64, i64, i64)>,
}

/// Decodes `mappings` up to its end or its first error, whose position it then returns.
fn decode(mappings: &str, mut each: impl FnMut(Segment)) -> Result<(), usize> {
    let bytes = mappings.as_bytes();
    let (mut offset, mut source, mut line, mut column) = (0i64, 0i64, 0i64, 0i64);
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b',' => at += 1,
            // A second generated line means nothing in a module: the spec puts all in the first.
            b';' => {
                offset = 0;
                at += 1;
            }
            _ => {
                let begin = at;
                let mut fields = [0i64; 5];
                let mut count = 0;
                while at < bytes.len() && !matches!(bytes[at], b',' | b';') {
                    let (value, next) = vlq(bytes, at)?;
                    *fields.get_mut(count).ok_or(at)? = value;
                    count += 1;
                    at = next;
                }
                // Sums cannot overflow: each of at most 2^32 fields is below 2^31.
                offset += fields[0];
                match count {
                    1 => each(Segment {
                        offset,
                        source: None,
                    }),
                    4 | 5 => {
                        source += fields[1];
                        line += fields[2];
                        column += fields[3];
                        each(Segment {
                            offset,
                            source: Some((source, line, column)),
                        });
                    }
                    _ => return Err(begin),
                }
            }
        }
    }
    Ok(())
}

/// A signed number of up to 32 bits from `at` on, and the position behind it.
fn vlq(bytes: &[u8], mut at: usize) -> Result<(i64, usize), usize> {
    let begin = at;
    let (mut value, mut shift) = (0u64, 0);
    loop {
        let digit = bytes.get(at).copied().and_then(digit).ok_or(at)?;
        at += 1;
        value |= u64::from(digit & 31) << shift;
        shift += 5;
        if digit & 32 == 0 {
            break;
        }
        if shift > 30 {
            return Err(begin);
        }
    }
    let magnitude = (value >> 1) as i64;
    Ok((
        if value & 1 == 1 {
            -magnitude
        } else {
            magnitude
        },
        at,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(mappings: &str) -> (Vec<Segment>, Result<(), usize>) {
        let mut segments = Vec::new();
        let end = decode(mappings, |segment| segments.push(segment));
        (segments, end)
    }

    #[test]
    fn segments_add_up() {
        let (segments, end) = decoded("kOEYe,EAAQ,E;CADf");
        assert_eq!(end, Ok(()));
        let source = |s, l, c| Some((s, l, c));
        assert_eq!(
            segments,
            [
                Segment {
                    offset: 226,
                    source: source(2, 12, 15)
                },
                Segment {
                    offset: 228,
                    source: source(2, 12, 23)
                },
                Segment {
                    offset: 230,
                    source: None
                },
                Segment {
                    offset: 1,
                    source: source(2, 11, 8)
                },
            ]
        );
    }

    #[test]
    fn an_error_keeps_what_came_before() {
        for (mappings, at) in [("AAAA,B", 5), ("AAAA,AA", 5), ("AAAA,A!", 6), ("AAAA,g", 6)] {
            let (segments, end) = decoded(mappings);
            let kept = if mappings == "AAAA,B" { 2 } else { 1 };
            if mappings == "AAAA,B" {
                // A single field is a segment without a source; "B" is minus zero.
                assert_eq!(end, Ok(()));
            } else {
                assert_eq!(end, Err(at), "{mappings}");
            }
            assert_eq!(segments.len(), kept, "{mappings}");
        }
        // A number has seven digits at the most.
        assert_eq!(decoded("ggggggA").1, Ok(()));
        assert_eq!(decoded("gggggggA").1, Err(0));
    }

    #[test]
    fn data_urls_are_decoded() {
        assert_eq!(
            fetch("data:x;base64,aGkh", &crate::NoSources),
            Some(b"hi!".to_vec())
        );
        assert_eq!(
            fetch("data:x;base64,aGk=", &crate::NoSources),
            Some(b"hi".to_vec())
        );
        assert_eq!(
            fetch("data:,a%20b%zz", &crate::NoSources),
            Some(b"a b%zz".to_vec())
        );
        assert_eq!(fetch("data:x;base64,a*", &crate::NoSources), None);
    }
}
