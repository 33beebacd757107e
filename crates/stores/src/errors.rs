//! What stores say when something is wrong, as errors with a code: in short, and without anything that proves who asked.

use object_store::Error;
use tensor::{Code, Status};

/// As much of an answer as an error repeats.
const LONGEST: usize = 400;
/// What is said of a store that lets others wait.
pub(crate) const NO_ANSWER: &str = "no answer from the store";
/// Variables of the environment whose values must not be seen.
const SECRETS: &[&str] = &[
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AZURE_CLIENT_SECRET",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_KEY",
    "AZURE_STORAGE_SAS_KEY",
    "AZURE_STORAGE_SAS_TOKEN",
    "AZURE_STORAGE_TOKEN",
    "GOOGLE_BEARER_TOKEN",
    "GOOGLE_SERVICE_ACCOUNT_KEY",
];

/// The error as one of ours.
pub(crate) fn told(error: Error) -> Status {
    let text = describe(&error);
    let code = match &error {
        Error::NotFound { .. } => Code::NotFound,
        Error::AlreadyExists { .. } => Code::AlreadyExists,
        Error::Precondition { .. } | Error::NotModified { .. } => {
            return Status::new(Code::Aborted, "the file was replaced while it was read");
        }
        Error::PermissionDenied { .. } => Code::PermissionDenied,
        Error::Unauthenticated { .. } => Code::Unauthenticated,
        Error::InvalidPath { .. } => Code::InvalidArgument,
        Error::NotSupported { .. } | Error::NotImplemented { .. } => Code::Unimplemented,
        Error::UnknownConfigurationKey { .. } => Code::FailedPrecondition,
        _ if text.contains(NO_ANSWER) || text.contains("HTTP error") || text.contains("status code: 5") => {
            Code::Unavailable
        }
        _ if text.contains("status code: 429") => Code::ResourceExhausted,
        _ => Code::FailedPrecondition,
    };
    Status::new(code, text)
}

/// Whether a server sent all of a file although a part was asked for.
pub(crate) fn knows_no_parts(error: &Error) -> bool {
    let text = error.to_string();
    text.contains("non-partial response") || text.contains("Range request not supported")
}

fn describe(error: &Error) -> String {
    let mut text = match error {
        Error::NotFound { source, .. }
        | Error::PermissionDenied { source, .. }
        | Error::Unauthenticated { source, .. }
        | Error::Generic { source, .. } => source.to_string(),
        other => other.to_string(),
    };
    // The innermost cause says why a connection did not come about.
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
    let mut last = String::new();
    while let Some(inner) = cause {
        last = inner.to_string();
        cause = inner.source();
    }
    if let (Some(code), message) = (between(&text, "Code"), between(&text, "Message")) {
        text = format!("{code}: {}", message.unwrap_or_default());
    } else {
        let (short, last) = (without_queries(&text), without_queries(&last));
        text = if short.contains(&last) { short } else { format!("{short}: {last}") };
    }
    for secret in SECRETS.iter().filter_map(|name| std::env::var(name).ok()).filter(|secret| secret.len() > 3) {
        text = text.replace(&secret, "***");
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_end_matches(':').to_owned();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// What stands in an element of XML.
fn between<'a>(text: &'a str, element: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{element}>"))?;
    rest.split_once(&format!("</{element}>")).map(|(inner, _)| inner)
}

/// Signatures travel in the query of a URL.
fn without_queries(text: &str) -> String {
    let cut = |word: &str| match word.split_once('?') {
        Some((url, _)) if url.contains("://") => url.to_owned(),
        _ => word.to_owned(),
    };
    text.split(' ').map(cut).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generic(text: &str) -> Status {
        told(Error::Generic { store: "S3", source: text.to_owned().into() })
    }

    #[test]
    fn errors_are_short_and_without_secrets() {
        let status =
            generic("Error performing GET https://h/x?X-Signature=abc123 in 3ms - HTTP error: connection refused");
        assert_eq!(status.code(), Code::Unavailable);
        assert_eq!(status.message(), "Error performing GET https://h/x in 3ms - HTTP error: connection refused");
        let xml = "<?xml?><Error><Code>NoSuchBucket</Code><Message>The bucket is not there</Message><AWSAccessKeyId>A</AWSAccessKeyId></Error>";
        assert_eq!(generic(xml).message(), "NoSuchBucket: The bucket is not there");
        assert!(generic(&"x".repeat(10_000)).message().len() < 500);
    }
}
