//! Files from elsewhere: fetched once, verified by their SHA-256, kept in a folder of the user's.
//!
//! What a file holds is known beforehand, to the bit, so that it matters little who serves it: the
//! addresses are plain HTTP, and no cryptography is built but a checksum. The feature `https` adds the
//! rest. A file is there whole and verified, or not at all: it is written beside its place first.

use std::{
    env,
    error::Error,
    fmt,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use hmac_sha256::Hash;

use crate::progress::Progress;

/// A file that can be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name, also in the cache.
    pub name: &'static str,
    /// Where it is to be had.
    pub address: &'static str,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: &'static str,
}

/// Why a file could not be had, in one sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DownloadError {
    name: String,
    address: String,
    problem: String,
}

impl fmt::Display for DownloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, address, problem } = self;
        write!(
            f,
            "can't get {name} from {address} ({problem}); fetch it by other means, and name its folder \
             by --data PATH"
        )
    }
}

impl Error for DownloadError {}

/// The folder of fetched files: `POORGRAD_CACHE`, or `poorgrad` in the user's cache.
pub fn cache() -> PathBuf {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = variable("POORGRAD_CACHE") {
        return folder;
    }
    let user = variable("XDG_CACHE_HOME")
        .or_else(|| variable("LOCALAPPDATA"))
        .or_else(|| variable("HOME").map(|home| home.join(".cache")));
    user.unwrap_or_else(env::temp_dir).join("poorgrad")
}

/// The path of the file in `folder`: fetched now, or there already. Either way it is verified.
pub fn fetch(source: &Source, folder: &Path) -> Result<PathBuf, DownloadError> {
    fetch_from(source, source.address, folder)
}

fn fetch_from(source: &Source, address: &str, folder: &Path) -> Result<PathBuf, DownloadError> {
    let path = folder.join(source.name);
    if verified(&path, source) {
        return Ok(path);
    }
    receive_anew(source, address, folder)
}

/// Fetches the file, whether it is there or not.
fn receive_anew(source: &Source, address: &str, folder: &Path) -> Result<PathBuf, DownloadError> {
    let path = folder.join(source.name);
    let beside = beside(folder, source.name);
    let fetched = receive(source, address, folder, &beside)
        .and_then(|()| fs::rename(&beside, &path).map_err(|error| error.to_string()));
    match fetched {
        Ok(()) => Ok(path),
        Err(problem) => {
            // A part of a file is of no use; that it can't be removed either is no news.
            let _ = fs::remove_file(&beside);
            let (name, address) = (source.name.to_owned(), address.to_owned());
            Err(DownloadError { name, address, problem })
        }
    }
}

/// Where a file is written before it is whole: of this call alone, as others may fetch the same.
pub(crate) fn beside(folder: &Path, name: &str) -> PathBuf {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    folder.join(format!("{name}.{}-{call}.partial", std::process::id()))
}

/// Whether the file is there, and is what it should be.
fn verified(path: &Path, source: &Source) -> bool {
    let Ok(mut file) = File::open(path) else { return false };
    let mut hash = Hash::new();
    let mut part = vec![0; 1 << 16];
    loop {
        match file.read(&mut part) {
            Ok(0) => break hex(&hash.finalize()) == source.sha256,
            Ok(count) => hash.update(&part[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break false,
        }
    }
}

/// Fetches a file to `beside`, and says what went wrong.
fn receive(source: &Source, address: &str, folder: &Path, beside: &Path) -> Result<(), String> {
    let text = |error: &dyn ToString| error.to_string();
    fs::create_dir_all(folder).map_err(|error| text(&error))?;
    let request = ureq::get(address)
        .config()
        .timeout_resolve(Some(Duration::from_secs(20)))
        .timeout_connect(Some(Duration::from_secs(20)))
        .timeout_recv_response(Some(Duration::from_secs(60)))
        .build();
    let response = request.call().map_err(|error| match error {
        ureq::Error::Io(error) if is_a_hang_up(error.kind()) => {
            "it broke off before an answer came".to_owned()
        }
        error => text(&error),
    })?;
    // A byte more than there should be, so that a longer file is seen to be one.
    let mut body = response.into_body().into_reader().take(source.bytes.saturating_add(1));
    let mut file = File::create(beside).map_err(|error| text(&error))?;
    let (mut hash, mut received) = (Hash::new(), 0_u64);
    let progress = Progress::bytes(source.name, source.bytes);
    let mut part = vec![0; 1 << 16];
    loop {
        let count = match body.read(&mut part) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let bytes = source.bytes;
                return Err(format!("it broke off after {received} of {bytes} bytes: {error}"));
            }
        };
        hash.update(&part[..count]);
        file.write_all(&part[..count]).map_err(|error| text(&error))?;
        received += count as u64;
        progress.advance(count);
    }
    progress.finish();
    if received != source.bytes {
        let bytes = source.bytes;
        let more = if received > bytes { "more than " } else { "" };
        let received = received.min(bytes);
        return Err(format!("{more}{received} bytes came where {bytes} were expected"));
    }
    if hex(&hash.finalize()) != source.sha256 {
        return Err("its checksum is another: it is not the file that is meant".to_owned());
    }
    file.sync_all().map_err(|error| text(&error))
}

/// Whether the other side is gone.
fn is_a_hang_up(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(kind, UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Shutdown, TcpListener};
    use std::thread;

    const BODY: &[u8] = b"ten bytes!";

    /// A server on the loopback interface that answers so many requests with these bytes and closes.
    fn serve(answer: Vec<u8>, requests: usize) -> (String, thread::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/ten", listener.local_addr().unwrap());
        let served = thread::spawn(move || {
            for _ in 0..requests {
                let (mut stream, _) = listener.accept().unwrap();
                let (mut request, mut part) = (Vec::new(), [0; 512]);
                while !request.ends_with(b"\r\n\r\n") {
                    let count = stream.read(&mut part).unwrap();
                    request.extend_from_slice(&part[..count]);
                }
                assert!(request.starts_with(b"GET /ten HTTP/1.1\r\n"));
                stream.write_all(&answer).unwrap();
                let _ = stream.shutdown(Shutdown::Both);
            }
        });
        (address, served)
    }

    fn answer(status: &str, length: usize, body: &[u8]) -> Vec<u8> {
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n");
        [head.as_bytes(), body].concat()
    }

    /// A folder of its own for a test, gone when it is over.
    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str) -> Self {
            Self(env::temp_dir().join(format!("poorgrad-zoo-{test}-{}", std::process::id())))
        }

        fn files(&self) -> Vec<String> {
            let files = fs::read_dir(&self.0).into_iter().flatten();
            files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned()).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn ten() -> Source {
        // The checksum of the body, so that no test depends on a number written by hand.
        let sha256 = hex(&Hash::hash(BODY)).leak();
        Source { name: "ten", address: "", bytes: 10, sha256 }
    }

    #[test]
    fn checksums_are_those_of_the_standard() {
        // FIPS 180-2, appendix B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(&Hash::hash(b"abc")), abc);
    }

    #[test]
    fn a_file_is_fetched_once() {
        let folder = Folder::new("once");
        let (address, served) = serve(answer("200 OK", 10, BODY), 1);
        let path = fetch_from(&ten(), &address, &folder.0).unwrap();
        assert_eq!(fs::read(&path).unwrap(), BODY);
        served.join().unwrap();
        // Nobody listens any more.
        assert_eq!(fetch_from(&ten(), &address, &folder.0), Ok(path.clone()));
        assert_eq!(folder.files(), ["ten"]);
        // A file that was damaged in the cache is no file.
        fs::write(&path, b"ten bytes?").unwrap();
        assert!(fetch_from(&ten(), &address, &folder.0).is_err());
    }

    #[test]
    fn what_does_not_come_whole_is_refused_with_a_sentence_and_leaves_nothing() {
        for (name, answer, part) in [
            ("truncated", answer("200 OK", 10, &BODY[..7]), "it broke off after 7 of 10 bytes"),
            ("short", answer("200 OK", 7, &BODY[..7]), "7 bytes came where 10 were expected"),
            ("long", answer("200 OK", 12, b"ten bytes!!!"), "more than 10 bytes came"),
            ("wrong", answer("200 OK", 10, b"ten bytes?"), "its checksum is another"),
            ("missing", answer("404 Not Found", 0, b""), "404"),
            (
                "interrupted",
                b"HTTP/1.1 200 OK\r\nContent-Le".to_vec(),
                "it broke off before an answer came",
            ),
            ("none", Vec::new(), "it broke off before an answer came"),
        ] {
            let folder = Folder::new(name);
            let (address, served) = serve(answer, 1);
            let message = fetch_from(&ten(), &address, &folder.0).unwrap_err().to_string();
            assert!(message.contains(part), "{name}: {message}");
            let start = format!("can't get ten from {address} (");
            assert!(message.starts_with(&start), "{name}: {message}");
            assert!(message.ends_with("name its folder by --data PATH"), "{name}: {message}");
            assert!(!message.contains('\n'), "{name}: {message}");
            assert_eq!(folder.files(), Vec::<String>::new(), "{name}");
            served.join().unwrap();
        }
    }

    #[test]
    fn without_a_network_a_sentence_says_what_to_do() {
        let folder = Folder::new("offline");
        // A port that was free a moment ago.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/ten", listener.local_addr().unwrap());
        drop(listener);
        let message = fetch_from(&ten(), &address, &folder.0).unwrap_err().to_string();
        assert!(message.contains("--data PATH"), "{message}");
    }

    #[test]
    fn a_secure_address_is_greeted_by_tls_where_that_is_built_and_refused_where_it_is_not() {
        let folder = Folder::new("secure");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("https://{}/ten", listener.local_addr().unwrap());
        // Nobody may call: then there is nothing to accept, and nothing to wait for.
        let greeted = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut first = [0];
            (stream.read(&mut first).unwrap() == 1).then_some(first[0])
        });
        let message = fetch_from(&ten(), &address, &folder.0).unwrap_err().to_string();
        assert!(message.contains("--data PATH"), "{message}");
        if cfg!(feature = "https") {
            // RFC 8446, section 5.1: a record of a handshake.
            assert_eq!(greeted.join().unwrap(), Some(22), "{message}");
        } else {
            assert!(message.contains("TLS"), "{message}");
        }
        assert_eq!(folder.files(), Vec::<String>::new());
    }

    #[test]
    fn of_many_that_fetch_one_file_at_a_time_each_has_it_whole() {
        let folder = Folder::new("at-a-time");
        let answers = [0; 4].map(|_| serve(answer("200 OK", 10, BODY), 1));
        thread::scope(|scope| {
            let fetched = answers.each_ref().map(|(address, _)| {
                // In one process, so that its number alone would not tell their places apart.
                scope.spawn(|| receive_anew(&ten(), address, &folder.0))
            });
            for thread in fetched {
                assert_eq!(thread.join().unwrap(), Ok(folder.0.join("ten")));
            }
        });
        assert_eq!(fs::read(folder.0.join("ten")).unwrap(), BODY);
        assert_eq!(folder.files(), ["ten"]);
        for (_, served) in answers {
            served.join().unwrap();
        }
    }

    #[test]
    fn an_attempt_after_a_failed_one_begins_anew() {
        let folder = Folder::new("again");
        let (address, served) = serve(answer("200 OK", 10, &BODY[..3]), 1);
        assert!(fetch_from(&ten(), &address, &folder.0).is_err());
        served.join().unwrap();
        let (address, served) = serve(answer("200 OK", 10, BODY), 1);
        assert!(fetch_from(&ten(), &address, &folder.0).is_ok());
        served.join().unwrap();
    }
}
