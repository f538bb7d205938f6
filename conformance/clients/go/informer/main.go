// Two SharedIndexInformers of client-go: over ConfigMaps, typed, so that they are read as protobuf, and over widgets.clients.example.com, dynamic, so as
// JSON. The cluster is that of KUBECONFIG; KUBE_FEATURE_WatchListClient decides whether they list or stream their first objects.
//
// Each notification is printed as a line of JSON. For each line of standard input, "RESOURCE INDEX VALUE", the keys under that index value are.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

type line map[string]any

var printing sync.Mutex

func say(l line) {
	printing.Lock()
	defer printing.Unlock()
	text, _ := json.Marshal(l)
	fmt.Println(string(text))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// byTeam is a secondary index, beside that by namespace which factories add.
func byTeam(obj any) ([]string, error) {
	if team, ok := obj.(metav1.Object).GetLabels()["team"]; ok {
		return []string{team}, nil
	}
	return nil, nil
}

// tell prints what a listener of the informer hears.
func tell(resource string, informer cache.SharedIndexInformer) {
	if err := informer.AddIndexers(cache.Indexers{"team": byTeam}); err != nil {
		panic(err)
	}
	note := func(event string, obj any, more line) {
		meta := obj.(metav1.Object)
		l := line{"resource": resource, "event": event, "key": meta.GetNamespace() + "/" + meta.GetName(), "version": meta.GetResourceVersion()}
		for name, value := range more {
			l[name] = value
		}
		say(l)
	}
	must(informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, initial bool) { note("add", obj, line{"initial": initial}) },
		UpdateFunc: func(old, obj any) {
			note("update", obj, line{"from": old.(metav1.Object).GetResourceVersion()})
		},
		DeleteFunc: func(obj any) {
			if tomb, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				note("delete", tomb.Obj, line{"tombstone": true})
				return
			}
			note("delete", obj, line{"tombstone": false})
		},
	}))
}

func main() {
	config := must(clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG")))
	config.UserAgent = "client-go-informer"
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()

	typed := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(config), 0)
	loose := dynamicinformer.NewDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(config), 0)
	widgets := schema.GroupVersionResource{Group: "clients.example.com", Version: "v1", Resource: "widgets"}
	all := map[string]cache.SharedIndexInformer{
		"configmaps": typed.Core().V1().ConfigMaps().Informer(),
		"widgets":    loose.ForResource(widgets).Informer(),
	}
	for resource, informer := range all {
		tell(resource, informer)
	}
	typed.Start(ctx.Done())
	loose.Start(ctx.Done())
	for resource, informer := range all {
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			os.Exit(1)
		}
		say(line{"resource": resource, "event": "synced", "objects": len(informer.GetStore().ListKeys())})
	}
	go answer(all)
	<-ctx.Done()
	typed.Shutdown()
	loose.Shutdown()
	say(line{"event": "stopped"})
}

func answer(all map[string]cache.SharedIndexInformer) {
	questions := bufio.NewScanner(os.Stdin)
	for questions.Scan() {
		words := strings.Fields(questions.Text())
		keys := must(all[words[0]].GetIndexer().IndexKeys(words[1], words[2]))
		slices.Sort(keys)
		say(line{"event": "answer", "question": questions.Text(), "keys": keys})
	}
}
