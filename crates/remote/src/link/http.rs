//! An HTTP server in the style of Bazel's remote cache: `GET` and `PUT` of `BASE/ac/ADDRESS`.
//!
//! Credentials are those in the address (`https://user:password@host/…`), or the variable `STET_REMOTE_TOKEN`
//! as a bearer token.

use super::{Link, LinkError, Progress, SOCKET_TIMEOUT};
use std::io::Read;
use stet_key::Digest;
use ureq::http::{Request, Response};
use ureq::{Agent, Body};

const TOKEN: &str = "STET_REMOTE_TOKEN";

/// Where the objects are, and what opens the door.
#[derive(Clone)]
pub(super) struct Place {
    base: String,
    authorization: Option<String>,
}

impl Place {
    pub(super) fn parse(
        text: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let (scheme, rest) = text.split_once("://").unwrap_or(("https", text));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        let base = format!("{scheme}://{host}/{path}");
        let base = base.trim_end_matches('/').to_owned();
        // A mistake is told now, not when the first look-up fails.
        if host.is_empty() || base.parse::<ureq::http::Uri>().is_err() {
            return Err(format!("`{scheme}://{host}/{path}` is not a URL"));
        }
        let authorization = match user {
            Some(user) => Some(format!("Basic {}", base64(user.as_bytes()))),
            None => variable(TOKEN).map(|token| format!("Bearer {token}")),
        };
        Ok(Place {
            base,
            authorization,
        })
    }
}

/// A client of one server.
pub(super) struct Http {
    place: Place,
    agent: Agent,
}

impl Http {
    pub(super) fn new(place: Place) -> Self {
        Http {
            place,
            agent: agent(),
        }
    }

    fn request(&self, method: &str, address: &Digest, body: Vec<u8>) -> Option<Request<Vec<u8>>> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}/ac/{address}", self.place.base));
        if let Some(authorization) = &self.place.authorization {
            request = request.header("authorization", authorization);
        }
        request.body(body).ok()
    }
}

impl Link for Http {
    fn get(
        &mut self,
        addresses: &[Digest],
        limit: usize,
        progress: &Progress,
    ) -> Result<Vec<Option<Vec<u8>>>, LinkError> {
        let fetch = |address| {
            let request = self.request("GET", address, Vec::new());
            fetch(&self.agent, request, limit, progress)
        };
        addresses.iter().map(fetch).collect()
    }

    fn put(&mut self, objects: &[(Digest, &[u8])], progress: &Progress) -> Result<(), LinkError> {
        for (address, bytes) in objects {
            let request = self.request("PUT", address, bytes.to_vec());
            deliver(&self.agent, request, progress)?;
        }
        Ok(())
    }
}

/// An agent with our time-outs that leaves status codes to us.
pub(super) fn agent() -> Agent {
    Agent::config_builder()
        .timeout_connect(Some(SOCKET_TIMEOUT))
        .timeout_global(Some(SOCKET_TIMEOUT * 4))
        .http_status_as_error(false)
        .max_redirects(3)
        .build()
        .into()
}

/// The body of the answer to a request for an object; `None` if it is not there.
pub(super) fn fetch(
    agent: &Agent,
    request: Option<Request<Vec<u8>>>,
    limit: usize,
    progress: &Progress,
) -> Result<Option<Vec<u8>>, LinkError> {
    let response = run(agent, request, progress)?;
    match response.status().as_u16() {
        200 => read(response, limit, progress).map(Some),
        404 | 410 => Ok(None),
        code => Err(LinkError::Refused(format!("the server answered {code}"))),
    }
}

/// Puts an object.
pub(super) fn deliver(
    agent: &Agent,
    request: Option<Request<Vec<u8>>>,
    progress: &Progress,
) -> Result<(), LinkError> {
    let size = request.as_ref().map_or(0, |request| request.body().len());
    let response = run(agent, request, progress)?;
    if !response.status().is_success() {
        let code = response.status().as_u16();
        return Err(LinkError::Refused(format!("the server answered {code}")));
    }
    progress.send(size);
    Ok(())
}

fn run(
    agent: &Agent,
    request: Option<Request<Vec<u8>>>,
    progress: &Progress,
) -> Result<Response<Body>, LinkError> {
    let Some(request) = request else {
        return Err(LinkError::Refused("the address is not valid".to_owned()));
    };
    progress.request();
    agent
        .run(request)
        .map_err(|error| LinkError::Unreachable(error.to_string()))
}

fn read(response: Response<Body>, limit: usize, progress: &Progress) -> Result<Vec<u8>, LinkError> {
    let mut reader = response.into_body().into_reader().take(limit as u64 + 1);
    let mut bytes = Vec::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        let count = reader
            .read(&mut piece)
            .map_err(|error| LinkError::Unreachable(error.to_string()))?;
        if count == 0 {
            return Ok(bytes);
        }
        progress.receive(count);
        bytes.extend(&piece[..count]);
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let byte = |n: usize| u32::from(group.get(n).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for n in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * n)) as usize & 63];
            text.push(if n <= group.len() { digit as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_become_a_header() {
        assert_eq!(base64(b""), "");
        assert_eq!(base64(b"f"), "Zg==");
        assert_eq!(base64(b"fo"), "Zm8=");
        assert_eq!(base64(b"foobar"), "Zm9vYmFy");
        let none = |_: &str| None;
        let place = Place::parse("https://Aladdin:open sesame@h/x/", &none).unwrap();
        assert_eq!(place.base, "https://h/x");
        assert_eq!(
            place.authorization.as_deref(),
            Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        );
        let token = |name: &str| (name == TOKEN).then(|| "t".to_owned());
        let place = Place::parse("http://h", &token).unwrap();
        assert_eq!(place.authorization.as_deref(), Some("Bearer t"));
    }
}
