// A reconciler of controller-runtime: for each widget a ConfigMap that it owns, a status, an Event, and a finalizer until it has been let go. Of several
// processes the holder of a Lease works. The cluster is that of KUBECONFIG.
//
//	reconciler NAME    prints "NAME leads", "NAME made KEY", "NAME released KEY" and the like as lines of JSON
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

type WidgetSpec struct {
	Size int64  `json:"size"`
	Note string `json:"note,omitempty"`
}
type WidgetStatus struct {
	Phase      string             `json:"phase,omitempty"`
	Observed   int64              `json:"observed,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec   `json:"spec,omitempty"`
	Status            WidgetStatus `json:"status,omitempty"`
}
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

func (w *Widget) DeepCopyObject() runtime.Object {
	o := *w
	w.ObjectMeta.DeepCopyInto(&o.ObjectMeta)
	o.Status.Conditions = append([]metav1.Condition(nil), w.Status.Conditions...)
	return &o
}
func (l *WidgetList) DeepCopyObject() runtime.Object {
	o := &WidgetList{TypeMeta: l.TypeMeta}
	l.ListMeta.DeepCopyInto(&o.ListMeta)
	for i := range l.Items {
		o.Items = append(o.Items, *(l.Items[i].DeepCopyObject().(*Widget)))
	}
	return o
}

const finalizer = "clients.example.com/held"

var printing sync.Mutex

type reconciler struct {
	client.Client
	name     string
	recorder events.EventRecorder
}

func (r *reconciler) say(event, key string) {
	printing.Lock()
	defer printing.Unlock()
	text, _ := json.Marshal(map[string]string{"who": r.name, "event": event, "key": key})
	fmt.Println(string(text))
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var widget Widget
	if err := r.Get(ctx, request.NamespacedName, &widget); err != nil {
		if apierrors.IsNotFound(err) {
			r.say("gone", request.String())
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !widget.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.release(ctx, &widget)
	}
	if controllerutil.AddFinalizer(&widget, finalizer) {
		if err := r.Update(ctx, &widget); err != nil {
			return ctrl.Result{}, err
		}
		r.say("held", request.String())
	}
	return ctrl.Result{}, r.settle(ctx, &widget)
}

func (r *reconciler) release(ctx context.Context, widget *Widget) error {
	if !controllerutil.RemoveFinalizer(widget, finalizer) {
		return nil
	}
	if err := r.Update(ctx, widget); err != nil {
		return err
	}
	r.say("released", client.ObjectKeyFromObject(widget).String())
	return nil
}

func (r *reconciler) settle(ctx context.Context, widget *Widget) error {
	key := client.ObjectKeyFromObject(widget).String()
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: widget.Namespace, Name: widget.Name}}
	result, err := controllerutil.CreateOrUpdate(ctx, r.Client, child, func() error {
		child.Data = map[string]string{"size": strconv.FormatInt(widget.Spec.Size, 10), "note": widget.Spec.Note}
		return controllerutil.SetControllerReference(widget, child, r.Scheme())
	})
	if err != nil {
		return err
	}
	if result != controllerutil.OperationResultNone {
		r.say(string(result), key)
	}
	if widget.Status.Observed == widget.Spec.Size && widget.Status.Phase == "Settled" {
		return nil
	}
	widget.Status.Phase, widget.Status.Observed = "Settled", widget.Spec.Size
	widget.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: "True", Reason: "Settled", Message: "by " + r.name,
		ObservedGeneration: widget.Generation, LastTransitionTime: metav1.Now()}}
	if err := r.Status().Update(ctx, widget); err != nil {
		return err
	}
	r.recorder.Eventf(widget, child, corev1.EventTypeNormal, "Settled", "Settle", "size %d", widget.Spec.Size)
	r.say("settled", key)
	return nil
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	name := os.Args[len(os.Args)-1]
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	ctrl.SetLogger(klog.Background())
	scheme := runtime.NewScheme()
	group := schema.GroupVersion{Group: "clients.example.com", Version: "v1"}
	scheme.AddKnownTypes(group, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, group)
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		panic(err)
	}
	duration := func(d time.Duration) *time.Duration { return &d }
	manager := must(ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme: scheme, Metrics: server.Options{BindAddress: "0"},
		LeaderElection: true, LeaderElectionID: "widgets", LeaderElectionNamespace: "default", LeaderElectionReleaseOnCancel: true,
		LeaseDuration: duration(15 * time.Second), RenewDeadline: duration(10 * time.Second), RetryPeriod: duration(time.Second),
	}))
	r := &reconciler{Client: manager.GetClient(), name: name, recorder: manager.GetEventRecorder("widgets")}
	if err := ctrl.NewControllerManagedBy(manager).For(&Widget{}).Owns(&corev1.ConfigMap{}).Complete(r); err != nil {
		panic(err)
	}
	go func() {
		<-manager.Elected()
		r.say("leads", "")
	}()
	r.say("runs", "")
	if err := manager.Start(ctrl.SetupSignalHandler()); err != nil {
		panic(err)
	}
	r.say("stopped", "")
}
