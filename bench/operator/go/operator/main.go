// The operator of the bench in controller-runtime: it reconciles widgets.peers.dev, and writes the status by a patch.
//
//	operator -kubeconfig F -workers 1|10 [-finalizer]
package main

import (
	"context"
	"flag"
	"io"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

type WidgetSpec struct {
	Value int64  `json:"value,omitempty"`
	Note  string `json:"note,omitempty"`
}
type WidgetStatus struct {
	Phase    string `json:"phase,omitempty"`
	Observed int64  `json:"observed,omitempty"`
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

const finalizer = "peers.dev/finalizer"

type rec struct {
	client.Client
	fin, background bool
	mu              sync.Mutex
	running         map[types.NamespacedName]context.CancelFunc
	ctx             context.Context
}

func (r *rec) Reconcile(ctx context.Context, q ctrl.Request) (ctrl.Result, error) {
	var w Widget
	if err := r.Get(ctx, q.NamespacedName, &w); err != nil {
		if apierrors.IsNotFound(err) && r.background {
			r.stop(q.NamespacedName)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if r.background {
		r.spawn(q.NamespacedName)
		return ctrl.Result{RequeueAfter: 10 * time.Second}, nil
	}
	if r.fin {
		if !w.DeletionTimestamp.IsZero() {
			if controllerutil.ContainsFinalizer(&w, finalizer) {
				p := client.MergeFrom(w.DeepCopyObject().(*Widget))
				controllerutil.RemoveFinalizer(&w, finalizer)
				return ctrl.Result{}, client.IgnoreNotFound(r.Patch(ctx, &w, p))
			}
			return ctrl.Result{}, nil
		}
		if !controllerutil.ContainsFinalizer(&w, finalizer) {
			p := client.MergeFrom(w.DeepCopyObject().(*Widget))
			controllerutil.AddFinalizer(&w, finalizer)
			if err := r.Patch(ctx, &w, p); err != nil {
				return ctrl.Result{}, err
			}
		}
	}
	if w.Status.Phase == "done" && w.Status.Observed == w.Spec.Value {
		return ctrl.Result{}, nil
	}
	p := client.MergeFrom(w.DeepCopyObject().(*Widget))
	w.Status.Phase, w.Status.Observed = "done", w.Spec.Value
	return ctrl.Result{}, client.IgnoreNotFound(r.Status().Patch(ctx, &w, p))
}
func (r *rec) spawn(k types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.running[k]; ok {
		return
	}
	c, cancel := context.WithCancel(r.ctx)
	r.running[k] = cancel
	go func() {
		for {
			select {
			case <-c.Done():
				return
			case <-time.After(10 * time.Second):
			}
		}
	}()
}
func (r *rec) stop(k types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c, ok := r.running[k]; ok {
		c()
		delete(r.running, k)
	}
}

func main() {
	srv := flag.String("server", "", "instead of a kubeconfig: a plain URL")
	workers := flag.Int("workers", 1, "")
	fin := flag.Bool("finalizer", false, "")
	bg := flag.Bool("background", false, "")
	flag.Parse()
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	ctrl.SetLogger(klog.Background())
	var cfg *rest.Config
	if *srv != "" {
		cfg = &rest.Config{Host: *srv, QPS: -1}
	} else {
		var err error
		if cfg, err = ctrl.GetConfig(); err != nil { // -kubeconfig or KUBECONFIG; no client-side rate limit
			panic(err)
		}
	}
	cfg.UserAgent = "peer-operator"
	s := runtime.NewScheme()
	gv := schema.GroupVersion{Group: "peers.dev", Version: "v1"}
	s.AddKnownTypes(gv, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(s, gv)
	m, err := ctrl.NewManager(cfg, ctrl.Options{Scheme: s, Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		panic(err)
	}
	ctx := ctrl.SetupSignalHandler()
	r := &rec{Client: m.GetClient(), fin: *fin, background: *bg, running: map[types.NamespacedName]context.CancelFunc{}, ctx: ctx}
	if err := ctrl.NewControllerManagedBy(m).For(&Widget{}).WithOptions(controller.Options{MaxConcurrentReconciles: *workers}).Complete(r); err != nil {
		panic(err)
	}
	if err := m.Start(ctx); err != nil {
		panic(err)
	}
}
