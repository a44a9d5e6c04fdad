//! The page's files, built from `ui/` and kept in the binary.

/// One file of the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asset {
    /// Its path below the token.
    pub(crate) path: &'static str,
    /// Its media type.
    pub(crate) media_type: &'static str,
    /// Its bytes.
    pub(crate) bytes: &'static [u8],
}

/// All files; the first is the page.
const ASSETS: &[Asset] = &[
    Asset {
        path: "",
        media_type: "text/html; charset=utf-8",
        bytes: include_bytes!("../page/index.html"),
    },
    Asset {
        path: "page.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../page/page.js"),
    },
    Asset {
        path: "page.css",
        media_type: "text/css; charset=utf-8",
        bytes: include_bytes!("../page/page.css"),
    },
    Asset {
        path: "icon.svg",
        media_type: "image/svg+xml",
        bytes: include_bytes!("../page/icon.svg"),
    },
];

/// The file at a path.
pub(crate) fn find(path: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.path == path)
}
