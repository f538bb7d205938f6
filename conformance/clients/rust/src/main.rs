// A controller of kube-rs: for each widget a ConfigMap that it owns, by server-side apply; a status; an Event; a finalizer until it has been let go.
// The cluster is that of KUBECONFIG. `--stream` streams the first objects instead of listing them.
//
// It prints what it does as lines of JSON.
use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    api::{Patch, PatchParams},
    discovery::Discovery,
    runtime::{
        controller::{Action, Controller},
        events::{Event as Note, EventType, Recorder, Reporter},
        finalizer::{finalizer, Event},
        reflector::ObjectRef,
        watcher,
    },
    Api, Client, CustomResource, Resource, ResourceExt,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{sync::Arc, time::Duration};

#[derive(CustomResource, Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[kube(group = "clients.example.com", version = "v1", kind = "Widget", namespaced, status = "WidgetStatus")]
pub struct WidgetSpec {
    size: i64,
    note: Option<String>,
}
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema, Default)]
pub struct WidgetStatus {
    phase: Option<String>,
    observed: Option<i64>,
}

type Failure = Box<dyn std::error::Error + Send + Sync>;
#[derive(Debug)]
struct Failed(String);
impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for Failed {}

struct Context {
    client: Client,
    recorder: Recorder,
}

fn say(event: &str, key: String) {
    println!("{}", json!({"event": event, "key": key}));
}

async fn settle(widget: Arc<Widget>, context: &Context) -> Result<Action, kube::Error> {
    let (namespace, name) = (widget.namespace().unwrap_or_default(), widget.name_any());
    let manager = PatchParams::apply("kube-rs-controller").force();
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "ownerReferences": [widget.controller_owner_ref(&())]},
        "data": {"size": widget.spec.size.to_string(), "note": widget.spec.note},
    });
    Api::<ConfigMap>::namespaced(context.client.clone(), &namespace).patch(&name, &manager, &Patch::Apply(&child)).await?;
    if widget.status.as_ref().and_then(|status| status.observed) != Some(widget.spec.size) {
        let status = json!({
            "apiVersion": "clients.example.com/v1", "kind": "Widget",
            "status": {"phase": "Settled", "observed": widget.spec.size},
        });
        Api::<Widget>::namespaced(context.client.clone(), &namespace).patch_status(&name, &manager, &Patch::Apply(&status)).await?;
        let note = Note {
            type_: EventType::Normal,
            reason: "Settled".into(),
            note: Some(format!("size {}", widget.spec.size)),
            action: "Settle".into(),
            secondary: None,
        };
        context.recorder.publish(&note, &widget.object_ref(&())).await?;
        say("settled", format!("{namespace}/{name}"));
    }
    Ok(Action::requeue(Duration::from_secs(300)))
}

async fn reconcile(widget: Arc<Widget>, context: Arc<Context>) -> Result<Action, Failed> {
    let api = Api::<Widget>::namespaced(context.client.clone(), &widget.namespace().unwrap_or_default());
    finalizer(&api, "clients.example.com/held", widget, |event| async {
        match event {
            Event::Apply(widget) => settle(widget, &context).await,
            Event::Cleanup(widget) => {
                say("released", ObjectRef::from_obj(&*widget).to_string());
                Ok(Action::await_change())
            }
        }
    })
    .await
    .map_err(|error| Failed(error.to_string()))
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let client = Client::try_default().await?;
    let version = client.apiserver_version().await?;
    let discovery = Discovery::new(client.clone()).filter(&["clients.example.com", "apps"]).run().await?;
    let groups: Vec<_> = discovery.groups().map(|group| group.name().to_owned()).collect();
    say("found", format!("{} in {}.{}", groups.join(" and "), version.major, version.minor));

    let lists = watcher::Config::default();
    let lists = if std::env::args().any(|arg| arg == "--stream") { lists.streaming_lists() } else { lists.page_size(2) };
    let recorder = Recorder::new(client.clone(), Reporter { controller: "kube-rs-controller".into(), instance: Some("test".into()) });
    Controller::new(Api::<Widget>::all(client.clone()), lists.clone())
        .owns(Api::<ConfigMap>::all(client.clone()), lists)
        .shutdown_on_signal()
        .run(
            reconcile,
            |_, error, _| {
                say("failed", error.to_string());
                Action::requeue(Duration::from_secs(1))
            },
            Arc::new(Context { client, recorder }),
        )
        .for_each(|result| async move {
            match result {
                Ok((widget, _)) => say("reconciled", widget.to_string()),
                Err(error) => say("error", error.to_string()),
            }
        })
        .await;
    say("stopped", String::new());
    Ok(())
}
