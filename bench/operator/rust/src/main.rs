// The operator of the bench in kube-rs: a Controller over widgets.peers.dev that writes the status by a merge patch; `--finalizer` holds
// objects back with its finalizer helper. The cluster is that of KUBECONFIG.
use futures::StreamExt;
use kube::{
    api::{Patch, PatchParams},
    runtime::{
        controller::{Action, Config as CConfig, Controller},
        finalizer::{finalizer, Event},
        watcher,
    },
    Api, Client, CustomResource, ResourceExt,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{sync::Arc, time::Duration};

#[derive(CustomResource, Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[kube(group = "peers.dev", version = "v1", kind = "Widget", namespaced, status = "WidgetStatus")]
pub struct WidgetSpec {
    #[serde(default)]
    value: i64,
    #[serde(default)]
    note: Option<String>,
}
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema, Default)]
pub struct WidgetStatus {
    phase: Option<String>,
    observed: Option<i64>,
}
#[derive(Debug)]
struct Error(String);
impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for Error {}

struct Ctx {
    client: Client,
    fin: bool,
}
async fn apply(w: Arc<Widget>, api: &Api<Widget>) -> Result<Action, Error> {
    if let Some(s) = &w.status {
        if s.phase.as_deref() == Some("done") && s.observed == Some(w.spec.value) {
            return Ok(Action::await_change());
        }
    }
    match api.patch_status(&w.name_any(), &PatchParams::default(), &Patch::Merge(json!({"status": {"phase": "done", "observed": w.spec.value}}))).await {
        Ok(_) => Ok(Action::await_change()),
        Err(kube::Error::Api(e)) if e.code == 404 => Ok(Action::await_change()),
        Err(e) => Err(Error(e.to_string())),
    }
}
async fn reconcile(w: Arc<Widget>, ctx: Arc<Ctx>) -> Result<Action, Error> {
    let api: Api<Widget> = Api::namespaced(ctx.client.clone(), &w.namespace().unwrap());
    if !ctx.fin {
        return apply(w, &api).await;
    }
    finalizer(&api, "peers.dev/finalizer", w, |e| async {
        match e {
            Event::Apply(w) => apply(w, &api).await,
            Event::Cleanup(_) => Ok(Action::await_change()),
        }
    })
    .await
    .map_err(|e| Error(e.to_string()))
}
#[tokio::main]
async fn main() {
    let c = Client::try_default().await.unwrap();
    let api: Api<Widget> = Api::all(c.clone());
    Controller::new(api, watcher::Config::default())
        .with_config(CConfig::default())
        .shutdown_on_signal()
        .run(
            reconcile,
            |_, e, _| {
                eprintln!("reconcile: {e}");
                Action::requeue(Duration::from_secs(1))
            },
            Arc::new(Ctx { client: c, fin: std::env::args().any(|arg| arg == "--finalizer") }),
        )
        .for_each(|r| async move {
            if let Err(e) = r {
                eprintln!("controller: {e}");
            }
        })
        .await;
}
