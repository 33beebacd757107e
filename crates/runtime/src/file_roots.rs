//! Which files the kernels of a process may touch: those below some folders, or all but devices and the system's own. Folders of
//! stores (`s3://bucket/folder`) are judged by the text of their URLs.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use graph::op::Files;
use tensor::{Result, Status, bail, ensure, err};

/// The folders that kernels may read and write files in; without any, that is everywhere.
///
/// Devices, pipes, sockets and whatever lies in `/proc` and `/sys` are refused in any case: they have no end, or hold
/// whoever opens them. Paths are judged by where they lead, through `..` and symbolic links. No op makes such links, so what
/// was judged is what is opened.
///
/// ```
/// use graph::op::Files;
/// use tensor::Code;
/// use tensorfleet_runtime::FileRoots;
///
/// let temporary = std::env::temp_dir();
/// let roots = FileRoots::new([&temporary])?;
/// roots.check(&temporary.join("model/checkpoint"))?;
/// let refused = roots.check(&temporary.join("../etc/passwd")).unwrap_err();
/// assert_eq!(refused.code(), Code::PermissionDenied);
/// let refused = FileRoots::default().check("/dev/zero".as_ref()).unwrap_err();
/// assert_eq!(refused.message(), "'/dev/zero' is a device; ops read and write files and folders only");
/// # Ok::<(), tensor::Status>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FileRoots {
    /// Real paths.
    roots: Vec<PathBuf>,
    /// URLs, without a slash at the end.
    urls: Vec<String>,
    /// Why no file may be touched at all.
    none: Option<&'static str>,
}

impl FileRoots {
    /// Only below these folders.
    ///
    /// ```
    /// use tensorfleet_runtime::FileRoots;
    /// assert!(FileRoots::new(["/no/such/folder"]).is_err());
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if one is not a folder that exists.
    pub fn new<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> Result<FileRoots> {
        let (mut roots, mut urls) = (Vec::new(), Vec::new());
        for folder in folders {
            let folder = folder.as_ref();
            if let Some(url) = url_of(folder) {
                ensure!(is_plain(url), InvalidArgument, "the file root '{url}' has empty parts, '.' or '..' in it");
                urls.push(url.trim_end_matches('/').to_owned());
                continue;
            }
            let real = fs::canonicalize(folder)
                .map_err(|error| err!(InvalidArgument, "the file root '{}': {error}", folder.display()))?;
            ensure!(real.is_dir(), InvalidArgument, "the file root '{}' is not a folder", folder.display());
            roots.push(real);
        }
        Ok(FileRoots { roots, urls, none: None })
    }

    /// No files at all, for this reason.
    ///
    /// ```
    /// use graph::op::Files;
    /// use tensorfleet_runtime::FileRoots;
    /// let refused = FileRoots::none("strangers use this server").check("/tmp/x".as_ref()).unwrap_err();
    /// assert_eq!(refused.message(), "'/tmp/x' may not be touched: strangers use this server");
    /// ```
    pub fn none(reason: &'static str) -> FileRoots {
        FileRoots { none: Some(reason), ..FileRoots::default() }
    }
}

impl FileRoots {
    fn everywhere(&self) -> bool {
        self.roots.is_empty() && self.urls.is_empty()
    }

    /// A store's file is inside if a root is the begin of its URL, by whole names.
    fn check_url(&self, url: &str) -> Result<()> {
        if self.everywhere() {
            return Ok(());
        }
        let below = |root: &String| {
            url.strip_prefix(root.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match is_plain(url) && self.urls.iter().any(below) {
            true => Ok(()),
            false => Err(self.outside(Path::new(url))),
        }
    }

    fn outside(&self, path: &Path) -> Status {
        let roots = self.roots.iter().map(|root| root.display().to_string()).chain(self.urls.iter().cloned());
        let roots: Vec<String> = roots.collect();
        err!(
            PermissionDenied,
            "'{}' is outside of the folders that this task may use: {}",
            path.display(),
            roots.join(", ")
        )
    }
}

/// The text of a path that has a scheme.
fn url_of(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let (scheme, _) = text.split_once("://")?;
    let first = scheme.starts_with(|first: char| first.is_ascii_alphabetic());
    let rest = scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
    (first && rest && scheme != "file").then_some(text)
}

/// Whether no part of a URL leads up, also not in disguise.
fn is_plain(url: &str) -> bool {
    let (_, rest) = url.split_once("://").unwrap_or(("", url));
    let odd = |part: &str| part.is_empty() || part == "." || part == ".." || part.contains('%');
    !rest.trim_end_matches('/').split('/').any(odd)
}

impl Files for FileRoots {
    fn check(&self, path: &Path) -> Result<()> {
        if let Some(reason) = self.none {
            bail!(PermissionDenied, "'{}' may not be touched: {reason}", path.display());
        }
        if let Some(url) = url_of(path) {
            return self.check_url(url);
        }
        let real = match real_path(path) {
            Some(real) => real,
            // What cannot be opened anyway is refused by the system, in its words.
            None if self.everywhere() => return Ok(()),
            None => bail!(PermissionDenied, "it cannot be said where '{}' leads", path.display()),
        };
        let inside = self.everywhere() || self.roots.iter().any(|root| real.starts_with(root));
        if !inside {
            return Err(self.outside(path));
        }
        ensure!(
            !real.starts_with("/proc") && !real.starts_with("/sys"),
            PermissionDenied,
            "'{}' belongs to the system; ops read and write files and folders only",
            path.display()
        );
        let Ok(metadata) = fs::metadata(&real) else { return Ok(()) };
        let kind = metadata.file_type();
        let special = match () {
            () if kind.is_char_device() || kind.is_block_device() => "a device",
            () if kind.is_fifo() => "a pipe",
            () if kind.is_socket() => "a socket",
            () => return Ok(()),
        };
        bail!(PermissionDenied, "'{}' is {special}; ops read and write files and folders only", path.display())
    }
}

/// Where a path leads. Of what does not exist yet, the names are kept; `None` if it cannot be said: a link to nowhere, or a
/// step up from what does not exist.
fn real_path(path: &Path) -> Option<PathBuf> {
    let mut existing = std::path::absolute(path).ok()?;
    let mut rest: Vec<OsString> = Vec::new();
    loop {
        match fs::canonicalize(&existing) {
            Ok(mut real) => {
                real.extend(rest.iter().rev());
                return Some(real);
            }
            Err(error) if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(&existing).is_err() => {
                rest.push(existing.file_name()?.to_owned());
                existing.pop();
            }
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use tensor::Code;

    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("file-roots-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(path.join("inside/deep")).unwrap();
            fs::create_dir_all(path.join("outside")).unwrap();
            fs::write(path.join("outside/secret"), "s").unwrap();
            Folder(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn paths_are_judged_by_where_they_lead() {
        let folder = Folder::new("judged");
        let inside = folder.0.join("inside");
        let roots = FileRoots::new([&inside]).unwrap();
        symlink(folder.0.join("outside"), inside.join("link")).unwrap();
        symlink(folder.0.join("outside/new"), inside.join("dangling")).unwrap();
        symlink("deep", inside.join("harmless")).unwrap();
        for fine in ["", "a", "deep/new/file", "deep/../a", "harmless/file", "deep/../../inside/a"] {
            roots.check(&inside.join(fine)).unwrap();
        }
        let bad = [
            "../outside/secret",
            "deep/../../outside/secret",
            "link/secret",
            "link",
            "link/new",
            "dangling",
            "dangling/deeper",
            "harmless/../../outside/new",
            "nothing/../../outside/secret",
            "..",
            "/etc/passwd",
            "/proc/self/environ",
        ];
        for bad in bad {
            let refused = roots.check(&inside.join(bad)).unwrap_err();
            assert_eq!(refused.code(), Code::PermissionDenied, "{bad}");
        }
        // A folder whose name begins like the root's is another one.
        fs::create_dir(folder.0.join("inside2")).unwrap();
        let refused = roots.check(&folder.0.join("inside2/a")).unwrap_err();
        let told = format!("inside2/a' is outside of the folders that this task may use: {}", inside.display());
        assert!(refused.message().ends_with(&told), "{refused}");
    }

    #[test]
    fn urls_are_judged_by_their_begin() {
        let folder = Folder::new("urls");
        let inside = folder.0.join("inside");
        let roots = FileRoots::new([Path::new("s3://bucket/data/"), &inside]).unwrap();
        for fine in ["s3://bucket/data", "s3://bucket/data/a/b", "s3://bucket/data/"] {
            roots.check(fine.as_ref()).unwrap();
        }
        roots.check(&inside.join("a")).unwrap();
        let bad = [
            "s3://bucket/database",
            "s3://bucket",
            "s3://bucket/data/../x",
            "s3://bucket/data/%2e%2e/x",
            "s3://bucket/data//x",
            "s3://other/data/x",
            "gs://bucket/data/x",
            "http://bucket/data/x",
            "S3://bucket/data/x",
        ];
        for bad in bad {
            assert_eq!(roots.check(bad.as_ref()).unwrap_err().code(), Code::PermissionDenied, "{bad}");
        }
        let told = roots.check("http://x/y".as_ref()).unwrap_err();
        assert!(told.message().contains("s3://bucket/data"), "{told}");
        let disk = FileRoots::new([&inside]).unwrap();
        assert_eq!(disk.check("s3://bucket/x".as_ref()).unwrap_err().code(), Code::PermissionDenied);
        let store = FileRoots::new(["s3://bucket"]).unwrap();
        assert_eq!(store.check(&inside.join("a")).unwrap_err().code(), Code::PermissionDenied);
        FileRoots::default().check("https://anywhere/x".as_ref()).unwrap();
        assert!(FileRoots::none("strangers").check("s3://bucket/x".as_ref()).is_err());
        assert!(FileRoots::new(["s3://bucket/../x"]).is_err());
    }

    #[test]
    fn what_is_no_file_is_refused_everywhere() {
        let folder = Folder::new("special");
        let everywhere = FileRoots::default();
        let pipe = folder.0.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let _socket = UnixListener::bind(folder.0.join("socket")).unwrap();
        symlink("/dev/zero", folder.0.join("link")).unwrap();
        let refused = |path: &Path| everywhere.check(path).unwrap_err().message().to_owned();
        assert!(refused(&pipe).contains("is a pipe"));
        assert!(refused(&folder.0.join("socket")).contains("is a socket"));
        assert!(refused(&folder.0.join("link")).contains("is a device"));
        for path in ["/dev/zero", "/dev/null", "/proc/self/mem", "/sys/kernel/notes", "/proc/kcore", "/dev/fd/0"] {
            assert_eq!(everywhere.check(path.as_ref()).unwrap_err().code(), Code::PermissionDenied, "{path}");
        }
        for path in ["/etc/passwd", "/no/such/file", "relative", "", "a\0b"] {
            everywhere.check(path.as_ref()).unwrap();
        }
    }
}
