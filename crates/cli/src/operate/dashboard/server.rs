//! Serves the page and what it asks for, on a port of its own.

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use tensor::{Code, Result, Status, err};

use super::access::Access;
use super::api::{Asked, Sight};
use super::assets::FILES;
use super::event_folder::EventFolder;
use super::graphs::Graphs;
use super::live::Live;
use super::{Shown, USUAL_PORT};

/// Nothing but the page's own files is run, loaded or asked, and nobody shows it in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// So many questions are answered at once; others wait.
const AT_ONCE: usize = 8;

/// A page that is served until the process ends.
pub struct Served {
    /// With the key in it.
    pub url: String,
    thread: std::thread::JoinHandle<()>,
}

impl Served {
    /// Waits for ever, or until it cannot be served any more.
    pub fn wait(self) {
        let _ = self.thread.join();
    }
}

struct Page {
    access: Access,
    sight: Sight,
}

/// Serves the page on a port, 0 for any free one; without a port on the usual one, or a free one if that is taken.
///
/// # Errors
/// `Unavailable` if the port is taken; as reading tokens or certificates.
pub fn start(host: IpAddr, port: Option<u16>, shown: Shown) -> Result<Served> {
    let refused = |error: std::io::Error| {
        err!(Unavailable, "cannot serve the dashboard on {host} port {}: {error}", port.unwrap_or(USUAL_PORT))
    };
    let listener = match port {
        Some(port) => TcpListener::bind((host, port)),
        None => TcpListener::bind((host, USUAL_PORT)).or_else(|_| TcpListener::bind((host, 0))),
    };
    let listener = listener.map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    listener.set_nonblocking(true).map_err(refused)?;
    let access = Access::new(shown.security, host.is_loopback())?;
    let url = url(address, access.key());
    let sight =
        Sight { live: Live::new(shown.tasks), folder: EventFolder::new(shown.logdir), graphs: Graphs::default() };
    let pages = router(Arc::new(Page { access, sight }));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(AT_ONCE)
        .thread_name("dashboard")
        .enable_all()
        .build()
        .map_err(refused)?;
    let serve = move || {
        runtime.block_on(async move {
            let outcome = match tokio::net::TcpListener::from_std(listener) {
                Ok(listener) => axum::serve(listener, pages).await,
                Err(error) => Err(error),
            };
            if let Err(error) = outcome {
                tracing::error!(%error, "the dashboard is served no longer");
            }
        });
    };
    let thread = std::thread::Builder::new().name("dashboard".to_owned()).spawn(serve).map_err(refused)?;
    Ok(Served { url, thread })
}

fn url(address: SocketAddr, key: &str) -> String {
    let host = match address.ip() {
        ip if ip.is_loopback() && ip.is_ipv4() => "localhost".to_owned(),
        IpAddr::V6(ip) => format!("[{ip}]"),
        ip => ip.to_string(),
    };
    format!("http://{host}:{}/#key={key}", address.port())
}

fn router(page: Arc<Page>) -> Router {
    let mut router = Router::new();
    for (address, kind, text) in FILES {
        let answer = || async { ([(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, "no-cache")], *text) };
        router = router.route(address, get(answer));
    }
    router
        .route("/api/about", get(about))
        .route("/api/{what}", get(tell))
        .route("/api/{what}", post(steer))
        .fallback(|| async { refusal(&err!(NotFound, "there is no such page")) })
        .layer(from_fn_with_state(page.clone(), guard))
        .with_state(page)
}

/// Looks at every request before anything else does, and adds to every answer what browsers should hold to.
async fn guard(State(page): State<Arc<Page>>, request: Request, next: Next) -> Response {
    let is_question = request.uri().path().starts_with("/api/") && request.uri().path() != "/api/about";
    let checked = page.access.check_origin(request.headers(), request.uri()).and_then(|()| match is_question {
        true => page.access.check(request.method(), request.headers()),
        false => Ok(()),
    });
    let mut answer = match checked {
        Ok(()) => next.run(request).await,
        Err(status) => refusal(&status),
    };
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    for (name, value) in fixed {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

async fn about(State(page): State<Arc<Page>>, headers: HeaderMap) -> Response {
    let (access, sight) = (&page.access, &page.sight);
    let steers = access.may_steer(&headers);
    let mut about = json!({"version": env!("CARGO_PKG_VERSION"), "may_steer": steers, "needs_key": access.is_closed()});
    if steers || !access.is_closed() {
        about["cluster"] = json!(sight.live.has_cluster());
        about["folder"] = json!(sight.folder.root().map(|root| root.display().to_string()));
    }
    answer(Ok(about))
}

async fn tell(
    State(page): State<Arc<Page>>,
    Path(what): Path<String>,
    asked: Query<Vec<(String, String)>>,
) -> Response {
    let Query(asked) = asked;
    answer(apart(move || page.sight.tell(&what, &Asked(asked))).await)
}

async fn steer(State(page): State<Arc<Page>>, Path(what): Path<String>, _: Method, body: Bytes) -> Response {
    let body: Value = match serde_json::from_slice(&body) {
        Ok(body) => body,
        Err(error) => return refusal(&err!(InvalidArgument, "the request is no JSON: {error}")),
    };
    answer(apart(move || page.sight.steer(&what, &body)).await)
}

/// Does on another thread what may take long.
async fn apart(work: impl FnOnce() -> Result<Value> + Send + 'static) -> Result<Value> {
    let outcome = tokio::task::spawn_blocking(work).await;
    outcome.unwrap_or_else(|_| Err(err!(Internal, "the question could not be answered")))
}

fn answer(outcome: Result<Value>) -> Response {
    match outcome {
        Ok(value) => json_of(StatusCode::OK, &value),
        Err(status) => refusal(&status),
    }
}

fn refusal(status: &Status) -> Response {
    let code = match status.code() {
        Code::InvalidArgument | Code::OutOfRange => StatusCode::BAD_REQUEST,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::FailedPrecondition | Code::AlreadyExists | Code::Aborted => StatusCode::CONFLICT,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    json_of(code, &json!({"error": status.message(), "code": status.code().to_string()}))
}

fn json_of(code: StatusCode, value: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (code, headers, value.to_string()).into_response()
}
