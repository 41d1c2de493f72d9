//! S3 and what speaks its protocol (MinIO, Ceph, R2): `s3://BUCKET/PREFIX?endpoint=URL&region=REGION`.
//!
//! Credentials, region and endpoint are taken from the usual variables (`AWS_ACCESS_KEY_ID`,
//! `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION`, `AWS_ENDPOINT_URL`); the address may name the last
//! two. Requests are signed with signature version 4; an endpoint of its own is addressed by path, Amazon's by host.

use super::http::{agent, deliver, fetch};
use super::{Link, LinkError, Progress};
use hmac::{Hmac, Mac};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};
use stet_key::Digest;
use ureq::Agent;
use ureq::http::Request;

/// Where the objects are, and what opens the door.
#[derive(Clone)]
pub(super) struct Bucket {
    /// `https://host`
    origin: String,
    host: String,
    /// `/bucket/prefix` or `/prefix`, percent-encoded.
    path: String,
    region: String,
    credentials: Option<Credentials>,
    shown: String,
}

#[derive(Clone)]
struct Credentials {
    id: String,
    secret: String,
    token: Option<String>,
}

impl Bucket {
    pub(super) fn parse(
        text: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let (place, query) = text.split_once('?').unwrap_or((text, ""));
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        if bucket.is_empty() {
            return Err("`s3://` needs a bucket: `s3://bucket/prefix`".to_owned());
        }
        let parameter = |name: &str| {
            let mut parameters = query.split('&').filter_map(|pair| pair.split_once('='));
            let found = parameters.find(|(key, _)| *key == name);
            found.map(|(_, value)| value.to_owned())
        };
        let region = parameter("region")
            .or_else(|| variable("AWS_REGION"))
            .or_else(|| variable("AWS_DEFAULT_REGION"))
            .unwrap_or_else(|| "us-east-1".to_owned());
        let endpoint = parameter("endpoint").or_else(|| variable("AWS_ENDPOINT_URL"));
        let (origin, start) = match endpoint {
            Some(endpoint) => (
                endpoint.trim_end_matches('/').to_owned(),
                format!("/{bucket}"),
            ),
            None => (
                format!("https://{bucket}.s3.{region}.amazonaws.com"),
                String::new(),
            ),
        };
        let Some((_, host)) = origin.split_once("://") else {
            return Err(format!("the endpoint `{origin}` is not a URL"));
        };
        let credentials = match (
            variable("AWS_ACCESS_KEY_ID"),
            variable("AWS_SECRET_ACCESS_KEY"),
        ) {
            (Some(id), Some(secret)) => Some(Credentials {
                id,
                secret,
                token: variable("AWS_SESSION_TOKEN"),
            }),
            _ if parameter("anonymous").is_some() => None,
            _ => {
                return Err("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, \
                            or add `?anonymous=1` to the address"
                    .to_owned());
            }
        };
        let prefix = prefix.trim_matches('/');
        let path = format!("{start}/{prefix}");
        Ok(Bucket {
            host: host.to_owned(),
            path: encoded(path.trim_end_matches('/')),
            region,
            credentials,
            shown: format!("{bucket}/{prefix}"),
            origin,
        })
    }

    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    fn request(&self, method: &str, address: &Digest, body: Vec<u8>) -> Option<Request<Vec<u8>>> {
        let path = format!("{}/{address}", self.path);
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.origin));
        if let Some(credentials) = &self.credentials {
            let payload = hex(&Sha256::digest(&body));
            let mut headers = vec![
                ("host", self.host.clone()),
                ("x-amz-content-sha256", payload.clone()),
                ("x-amz-date", timestamp(now())),
            ];
            headers.extend(
                credentials
                    .token
                    .clone()
                    .map(|token| ("x-amz-security-token", token)),
            );
            let authorization =
                authorization(credentials, &self.region, method, &path, &headers, &payload);
            for (name, value) in headers.iter().skip(1) {
                request = request.header(*name, value);
            }
            request = request.header("authorization", authorization);
        }
        request.body(body).ok()
    }
}

/// A client of one bucket.
pub(super) struct S3 {
    bucket: Bucket,
    agent: Agent,
}

impl S3 {
    pub(super) fn new(bucket: Bucket) -> Self {
        S3 {
            bucket,
            agent: agent(),
        }
    }
}

impl Link for S3 {
    fn get(
        &mut self,
        addresses: &[Digest],
        limit: usize,
        progress: &Progress,
    ) -> Result<Vec<Option<Vec<u8>>>, LinkError> {
        let fetch = |address| {
            let request = self.bucket.request("GET", address, Vec::new());
            fetch(&self.agent, request, limit, progress)
        };
        addresses.iter().map(fetch).collect()
    }

    fn put(&mut self, objects: &[(Digest, &[u8])], progress: &Progress) -> Result<(), LinkError> {
        for (address, bytes) in objects {
            let request = self.bucket.request("PUT", address, bytes.to_vec());
            deliver(&self.agent, request, progress)?;
        }
        Ok(())
    }
}

/// The header that signs a request without query; `headers` are sorted by name and the third is the date.
fn authorization(
    credentials: &Credentials,
    region: &str,
    method: &str,
    path: &str,
    headers: &[(&str, String)],
    payload: &str,
) -> String {
    let date = headers
        .iter()
        .find(|(name, _)| *name == "x-amz-date")
        .map_or("", |(_, value)| value.as_str());
    let day = date.get(..8).unwrap_or_default();
    let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
    let names = names.join(";");
    let mut canonical = format!("{method}\n{path}\n\n");
    for (name, value) in headers {
        let _ = writeln!(canonical, "{name}:{}", value.trim());
    }
    let _ = write!(canonical, "\n{names}\n{payload}");
    let scope = format!("{day}/{region}/s3/aws4_request");
    let digest = hex(&Sha256::digest(canonical.as_bytes()));
    let text = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{digest}");
    let mut key = format!("AWS4{}", credentials.secret).into_bytes();
    for part in [day, region, "s3", "aws4_request"] {
        key = keyed(&key, part);
    }
    let signature = hex(&keyed(&key, &text));
    let id = &credentials.id;
    format!("AWS4-HMAC-SHA256 Credential={id}/{scope},SignedHeaders={names},Signature={signature}")
}

fn keyed(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A path with everything but letters, digits and `-._~/` percent-encoded.
fn encoded(path: &str) -> String {
    path.bytes().fold(String::new(), |mut text, byte| {
        match byte {
            b'-' | b'.' | b'_' | b'~' | b'/' => text.push(byte as char),
            _ if byte.is_ascii_alphanumeric() => text.push(byte as char),
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
        text
    })
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// Seconds since 1970 as `20130524T000000Z`.
fn timestamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days since 1 March of the year 0, in eras of 400 years.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = year + era * 400 + carry;
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of Amazon's documentation for a `GET` with a range.
    #[test]
    fn the_documented_request_has_the_documented_signature() {
        let credentials = Credentials {
            id: "AKIAIOSFODNN7EXAMPLE".to_owned(),
            secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned(),
            token: None,
        };
        let payload = hex(&Sha256::digest(b""));
        let headers = [
            ("host", "examplebucket.s3.amazonaws.com".to_owned()),
            ("range", "bytes=0-9".to_owned()),
            ("x-amz-content-sha256", payload.clone()),
            ("x-amz-date", "20130524T000000Z".to_owned()),
        ];
        let header = authorization(
            &credentials,
            "us-east-1",
            "GET",
            "/test.txt",
            &headers,
            &payload,
        );
        let signature = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41";
        assert!(header.ends_with(signature), "{header}");
    }

    #[test]
    fn times() {
        assert_eq!(timestamp(0), "19700101T000000Z");
        assert_eq!(timestamp(1_369_353_600), "20130524T000000Z");
        assert_eq!(timestamp(951_782_399), "20000228T235959Z");
        assert_eq!(timestamp(951_868_799), "20000229T235959Z");
        assert_eq!(timestamp(1_798_761_599), "20261231T235959Z");
    }

    #[test]
    fn addresses_are_by_path_or_by_host() {
        let variable = |name: &str| {
            name.starts_with("AWS_ACCESS")
                .then(|| "id".to_owned())
                .or_else(|| (name == "AWS_SECRET_ACCESS_KEY").then(|| "secret".to_owned()))
        };
        let bucket = Bucket::parse("b/p q?region=eu-1", &variable).unwrap();
        assert_eq!(bucket.origin, "https://b.s3.eu-1.amazonaws.com");
        assert_eq!(bucket.path, "/p%20q");
        let bucket = Bucket::parse("b?endpoint=http://127.0.0.1:9/", &variable).unwrap();
        assert_eq!(
            (bucket.origin.as_str(), bucket.path.as_str()),
            ("http://127.0.0.1:9", "/b")
        );
    }
}
