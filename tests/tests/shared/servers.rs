//! Real servers, each on a port of its own and gone when dropped.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A running server.
pub(super) struct Server {
    pub(super) url: String,
    /// Variables that clients need.
    pub(super) variables: Vec<(&'static str, String)>,
    child: Option<Child>,
    _directory: tempfile::TempDir,
}

impl Server {
    /// Kills it, as a power failure would.
    pub(super) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Whether a program can be started; says so if not, and fails where tools are required.
pub(super) fn has(program: &str, argument: &str) -> bool {
    let mut command = Command::new(program);
    command
        .arg(argument)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let found = command.status().is_ok_and(|status| status.success());
    if !found {
        stet_testkit::skip(&format!("{program} is not installed"));
    }
    found
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn wait_for(port: u16) {
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "no server on {port}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// `redis-server`, without a disk.
pub(super) fn redis(extra: &[&str]) -> Option<Server> {
    if !has("redis-server", "--version") {
        return None;
    }
    let port = free_port();
    let directory = tempfile::tempdir().unwrap();
    let child = Command::new("redis-server")
        .args([
            "--port",
            &port.to_string(),
            "--save",
            "",
            "--bind",
            "127.0.0.1",
        ])
        .args(["--appendonly", "no"])
        .args(extra)
        .current_dir(directory.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(port);
    Some(Server {
        url: format!("redis://127.0.0.1:{port}"),
        variables: Vec::new(),
        child: Some(child),
        _directory: directory,
    })
}

/// `redis-server` behind TLS, with a certificate of an authority that only `SSL_CERT_FILE` knows.
pub(super) fn redis_with_tls() -> Option<Server> {
    if !has("redis-server", "--version") || !has("openssl", "version") {
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let new_key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    for line in [
        format!("req -x509 {new_key} -keyout ca.key -out ca.pem -subj /CN=authority -days 2"),
        format!("req {new_key} -keyout server.key -out server.csr -subj /CN=server"),
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 -extfile names"
            .to_owned(),
    ] {
        std::fs::write(path("names"), "subjectAltName=IP:127.0.0.1\n").unwrap();
        let mut command = Command::new("openssl");
        command.args(line.split(' ')).current_dir(directory.path());
        let made = command.output().unwrap();
        assert!(made.status.success(), "openssl {line}: {made:?}");
    }
    let port = free_port();
    let child = Command::new("redis-server")
        .args(["--port", "0", "--tls-port", &port.to_string()])
        .args(["--save", "", "--bind", "127.0.0.1", "--appendonly", "no"])
        .args([
            "--tls-cert-file",
            "server.pem",
            "--tls-key-file",
            "server.key",
        ])
        .args(["--tls-ca-cert-file", "ca.pem", "--tls-auth-clients", "no"])
        .current_dir(directory.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(port);
    Some(Server {
        url: format!("rediss://127.0.0.1:{port}"),
        variables: vec![("SSL_CERT_FILE", path("ca.pem"))],
        child: Some(child),
        _directory: directory,
    })
}

/// Where `scripts/setup-s3` puts the server, unless it is on the path.
fn moto() -> String {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")? + "/.cache"));
    let installed = cache.map(|cache| cache + "/stet/tools/s3/bin/moto_server");
    installed
        .filter(|path| std::path::Path::new(path).exists())
        .unwrap_or_else(|| "moto_server".to_owned())
}

/// The S3 server of the Python package `moto`.
pub(super) fn s3() -> Option<Server> {
    let program = moto();
    if !has(&program, "--help") {
        return None;
    }
    let port = free_port();
    let directory = tempfile::tempdir().unwrap();
    let child = Command::new(&program)
        .args(["-H", "127.0.0.1", "-p", &port.to_string()])
        .current_dir(directory.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(port);
    let answer = http(port, "PUT", "/verdicts", &[]);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    Some(Server {
        url: format!("s3://verdicts/team?endpoint=http://127.0.0.1:{port}"),
        variables: vec![
            ("AWS_ACCESS_KEY_ID", "id".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "secret".to_owned()),
        ],
        child: Some(child),
        _directory: directory,
    })
}

fn http(port: u16, method: &str, path: &str, body: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

pub(super) fn directory() -> Server {
    let directory = tempfile::tempdir().unwrap();
    Server {
        url: format!("file://{}", directory.path().display()),
        variables: Vec::new(),
        child: None,
        _directory: directory,
    }
}

/// How the HTTP server misbehaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Fault {
    None,
    /// Every answer takes a second.
    Slow,
    /// Refuses what is put.
    Full,
    Garbage,
    /// The first half.
    Truncated,
    /// Another object than the one asked for.
    Replayed,
    /// One bit is wrong.
    Flipped,
    Huge,
    /// Says nothing and closes.
    Dropped,
}

/// A small HTTP server in this process that keeps what is put, and misbehaves on demand.
pub(super) struct Http {
    pub(super) url: String,
    pub(super) objects: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    fault: Arc<AtomicU8>,
    pub(super) requests: Arc<AtomicUsize>,
}

impl Http {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/base", listener.local_addr().unwrap());
        let server = Http {
            url,
            objects: Arc::default(),
            fault: Arc::default(),
            requests: Arc::default(),
        };
        let (objects, fault) = (server.objects.clone(), server.fault.clone());
        let requests = server.requests.clone();
        // Ends with the process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (objects, fault) = (objects.clone(), fault.clone());
                let requests = requests.clone();
                std::thread::spawn(move || serve(stream, &objects, &fault, &requests));
            }
        });
        server
    }

    pub(super) fn misbehave(&self, fault: Fault) {
        self.fault.store(fault as u8, Ordering::SeqCst);
    }
}

fn serve(
    stream: TcpStream,
    objects: &Mutex<BTreeMap<String, Vec<u8>>>,
    fault: &AtomicU8,
    requests: &AtomicUsize,
) -> Option<()> {
    let mut writer = stream.try_clone().ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let mut words = line.split_whitespace();
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            let header = header.trim().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        requests.fetch_add(1, Ordering::SeqCst);
        let fault = fault.load(Ordering::SeqCst);
        let is = |kind: Fault| fault == kind as u8;
        if is(Fault::Dropped) {
            return None;
        }
        if is(Fault::Slow) {
            std::thread::sleep(Duration::from_secs(1));
        }
        let (status, answer) = match method.as_str() {
            "PUT" if is(Fault::Full) => ("507 Insufficient Storage", Vec::new()),
            "PUT" => {
                objects.lock().unwrap().insert(path, body);
                ("200 OK", Vec::new())
            }
            _ => {
                let objects = objects.lock().unwrap();
                match objects.get(&path).cloned() {
                    None => ("404 Not Found", Vec::new()),
                    Some(bytes) => ("200 OK", damaged(bytes, fault, &objects, &path)),
                }
            }
        };
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n",
            answer.len()
        );
        writer.write_all(head.as_bytes()).ok()?;
        writer.write_all(&answer).ok()?;
    }
}

fn damaged(
    mut bytes: Vec<u8>,
    fault: u8,
    objects: &BTreeMap<String, Vec<u8>>,
    path: &str,
) -> Vec<u8> {
    let is = |kind: Fault| fault == kind as u8;
    if is(Fault::Garbage) {
        let mut random = stet_testkit::Random::new(bytes.len() as u64);
        bytes.fill_with(|| random.bits() as u8);
    } else if is(Fault::Truncated) {
        bytes.truncate(bytes.len() / 2);
    } else if is(Fault::Replayed) {
        let mut others: Vec<_> = objects.iter().filter(|(name, _)| *name != path).collect();
        others.sort();
        if let Some((_, other)) = others.first() {
            bytes = (*other).clone();
        }
    } else if is(Fault::Flipped) {
        let at = bytes.len() / 2;
        bytes[at] ^= 1;
    } else if is(Fault::Huge) {
        bytes.resize(10 << 20, 7);
    }
    bytes
}
