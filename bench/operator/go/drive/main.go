// Creates, updates and deletes many widgets as fast as it can, or paced, while an operator (the command after --) works on them; watches when their
// status becomes visible, reads the request counters of the API server and the /proc of the operator, and prints one line of JSON.
//
//	drive -kubeconfig F -name ours -n 2000 [-conc 16] [-rate 0] [-variant running|existing] [-phases create,update,delete] [-crd F] -- command arguments…
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

type meta struct {
	Name              string   `json:"name"`
	ResourceVersion   string   `json:"resourceVersion"`
	DeletionTimestamp string   `json:"deletionTimestamp"`
	Finalizers        []string `json:"finalizers"`
}
type widget struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		Value int64 `json:"value"`
	} `json:"spec"`
	Status struct {
		Phase    string `json:"phase"`
		Observed int64  `json:"observed"`
	} `json:"status"`
}

var (
	hc   *http.Client
	base string
	ns   = "w3"
	coll string
)

func do(method, path, ctype string, body any) (int, []byte, error) {
	var rd io.Reader
	if body != nil {
		b, _ := json.Marshal(body)
		if s, ok := body.(string); ok {
			b = []byte(s)
		}
		rd = bytes.NewReader(b)
	}
	q, _ := http.NewRequest(method, base+path, rd)
	if ctype != "" {
		q.Header.Set("Content-Type", ctype)
	}
	q.Header.Set("Accept", "application/json")
	r, err := hc.Do(q)
	if err != nil {
		return 0, nil, err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return r.StatusCode, b, err
}

// ---- what the watch saw
type seen struct {
	mu      sync.Mutex
	want    map[string]int64     // name -> value that must be observed
	sent    map[string]time.Time // name -> when the request was issued
	lat     []float64
	left    int
	gone    map[string]bool
	mode    string
	done    chan struct{}
	last    time.Time
	events  int64
	touched map[string]int
}

func (s *seen) event(typ string, w *widget) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events++
	n := w.Metadata.Name
	s.touched[n]++
	switch s.mode {
	case "status":
		v, ok := s.want[n]
		if ok && typ != "DELETED" && w.Status.Phase == "done" && w.Status.Observed == v {
			delete(s.want, n)
			if t, ok := s.sent[n]; ok {
				s.lat = append(s.lat, float64(now.Sub(t).Microseconds())/1000)
			} else {
				s.lat = append(s.lat, 0)
			}
			s.left--
			s.last = now
			if s.left == 0 {
				close(s.done)
			}
		}
	case "gone":
		if _, ok := s.want[n]; ok && typ == "DELETED" {
			delete(s.want, n)
			if t, ok := s.sent[n]; ok {
				s.lat = append(s.lat, float64(now.Sub(t).Microseconds())/1000)
			}
			s.left--
			s.last = now
			if s.left == 0 {
				close(s.done)
			}
		}
	}
}
func (s *seen) expect(mode string, want map[string]int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode, s.want, s.left, s.done = mode, want, len(want), make(chan struct{})
	s.sent, s.lat, s.last, s.events, s.touched = map[string]time.Time{}, nil, time.Time{}, 0, map[string]int{}
}
func (s *seen) mark(n string, t time.Time) { s.mu.Lock(); s.sent[n] = t; s.mu.Unlock() }

func (s *seen) watch(ctx context.Context, rv string) {
	for ctx.Err() == nil {
		q, _ := http.NewRequestWithContext(ctx, "GET", base+coll+"?watch=true&allowWatchBookmarks=true&resourceVersion="+rv, nil)
		r, err := hc.Do(q)
		if err != nil {
			return
		}
		d := bufio.NewReaderSize(r.Body, 1<<20)
		for {
			line, err := d.ReadBytes('\n')
			if err != nil {
				break
			}
			var e struct {
				Type   string
				Object widget
			}
			if json.Unmarshal(line, &e) != nil {
				continue
			}
			if e.Type == "ERROR" {
				fmt.Fprintln(os.Stderr, "drive: watch error", string(line))
				os.Exit(3)
			}
			rv = e.Object.Metadata.ResourceVersion
			if e.Type != "BOOKMARK" {
				s.event(e.Type, &e.Object)
			}
		}
		r.Body.Close()
	}
}

// ---- counters
type snap struct {
	req map[string]float64
	cpu map[string]float64
	at  time.Time
}

var reqRe = regexp.MustCompile(`^apiserver_request_total\{(.*)\} ([0-9.e+]+)$`)
var lblRe = regexp.MustCompile(`(\w+)="([^"]*)"`)

func metrics() map[string]float64 {
	out := map[string]float64{}
	_, b, err := do("GET", "/metrics", "", nil)
	if err != nil {
		return out
	}
	for _, l := range strings.Split(string(b), "\n") {
		m := reqRe.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		lb := map[string]string{}
		for _, x := range lblRe.FindAllStringSubmatch(m[1], -1) {
			lb[x[1]] = x[2]
		}
		if lb["group"] != "peers.dev" && lb["resource"] != "events" && lb["resource"] != "customresourcedefinitions" && lb["resource"] != "namespaces" {
			continue
		}
		k := lb["verb"] + " " + lb["resource"]
		if lb["subresource"] != "" {
			k += "/" + lb["subresource"]
		}
		if c := lb["code"]; !strings.HasPrefix(c, "2") && c != "0" {
			k += " =" + c
		}
		v, _ := strconv.ParseFloat(m[2], 64)
		out[k] += v
	}
	return out
}
func pidCPU(pid int) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+2:]))
	u, _ := strconv.ParseFloat(f[11], 64)
	s, _ := strconv.ParseFloat(f[12], 64)
	return (u + s) / 100
}
func pidMB(pid int, key string) float64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	m := regexp.MustCompile(key + `:\s+(\d+)`).FindSubmatch(b)
	if m == nil {
		return 0
	}
	kb, _ := strconv.Atoi(string(m[1]))
	return float64(kb*10/1024) / 10
}

var pids = map[string]int{}

func take() snap {
	s := snap{req: metrics(), cpu: map[string]float64{}, at: time.Now()}
	for n, p := range pids {
		s.cpu[n] = pidCPU(p)
	}
	s.cpu["driver"] = pidCPU(os.Getpid())
	if b, err := os.ReadFile("/proc/stat"); err == nil { // the whole machine: says how much others disturbed
		f := strings.Fields(strings.SplitN(string(b), "\n", 2)[0])
		for _, i := range []int{1, 2, 3, 6, 7} {
			v, _ := strconv.ParseFloat(f[i], 64)
			s.cpu["machine"] += v / 100
		}
	}
	return s
}
func r2(x float64) float64 { return float64(int64(x*100+0.5)) / 100 }
func diff(a, b snap, own map[string]float64) (map[string]float64, float64, map[string]float64) {
	req, cpu, tot := map[string]float64{}, map[string]float64{}, 0.0
	for k, v := range b.req {
		d := v - a.req[k] - own[k]
		if d != 0 {
			req[k] = d
			tot += d
		}
	}
	others := 0.0
	for k, v := range b.cpu {
		cpu[k] = r2(v - a.cpu[k])
		if k == "machine" {
			others += cpu[k]
		} else {
			others -= cpu[k]
		}
	}
	cpu["others"] = r2(others)
	return req, tot, cpu
}
func pct(x []float64, p float64) float64 {
	if len(x) == 0 {
		return 0
	}
	y := append([]float64(nil), x...)
	sort.Float64s(y)
	i := int(p * float64(len(y)-1))
	return r2(y[i])
}

// issue runs f(i) for all i by conc workers, or at a fixed rate.
func issue(n, conc int, rate float64, f func(i int)) time.Duration {
	t := time.Now()
	var wg sync.WaitGroup
	if rate > 0 {
		for i := 0; i < n; i++ {
			time.Sleep(time.Until(t.Add(time.Duration(float64(i) / rate * 1e9))))
			wg.Add(1)
			go func() { defer wg.Done(); f(i) }()
		}
		wg.Wait()
		return time.Since(t)
	}
	var next atomic.Int64
	for c := 0; c < conc; c++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		}()
	}
	wg.Wait()
	return time.Since(t)
}
func name(i int) string { return fmt.Sprintf("w-%05d", i) }
func must(code int, b []byte, err error) {
	if err != nil || code >= 300 {
		fmt.Fprintln(os.Stderr, "drive: request failed:", code, err, string(b))
		os.Exit(2)
	}
}
func list() ([]widget, string) {
	_, b, err := do("GET", coll, "", nil)
	if err != nil {
		panic(err)
	}
	var l struct {
		Metadata meta
		Items    []widget
	}
	_ = json.Unmarshal(b, &l)
	return l.Items, l.Metadata.ResourceVersion
}
func clean(conc int) {
	for try := 0; try < 20; try++ {
		l, _ := list()
		if len(l) == 0 {
			return
		}
		issue(len(l), conc, 0, func(i int) {
			p := coll + "/" + l[i].Metadata.Name
			if len(l[i].Metadata.Finalizers) > 0 {
				_, _, _ = do("PATCH", p, "application/merge-patch+json", `{"metadata":{"finalizers":null}}`)
			}
			_, _, _ = do("DELETE", p, "", nil)
		})
	}
}
func body(i int, v int64, fin string) map[string]any {
	m := map[string]any{"name": name(i), "labels": map[string]any{"app": "bench", "shard": fmt.Sprint(i % 10)}}
	if fin != "" {
		m["finalizers"] = []string{fin}
	}
	return map[string]any{"apiVersion": "peers.dev/v1", "kind": "Widget", "metadata": m, "spec": map[string]any{"value": v, "note": strings.Repeat("x", 100)}}
}

func main() {
	kc := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "")
	label := flag.String("name", "", "name of the row")
	n := flag.Int("n", 2000, "")
	conc := flag.Int("conc", 16, "")
	rate := flag.Float64("rate", 0, "creations per second; 0 = as fast as possible")
	variant := flag.String("variant", "running", "running | existing")
	phases := flag.String("phases", "create,update,delete", "")
	crd := flag.String("crd", "", "CRD manifest (YAML or JSON)")
	timeout := flag.Duration("timeout", 180*time.Second, "for each phase")
	settle := flag.Duration("settle", 3*time.Second, "after each phase, so that trailing requests are counted")
	oplog := flag.String("oplog", "", "file for the operator's output")
	spids := flag.String("pids", "", "file of lines 'name pid' whose CPU is reported too")
	onlyCreate := flag.Bool("only-create", false, "")
	onlyClean := flag.Bool("only-clean", false, "")
	fin := flag.String("finalizer", "", "with -only-create: create with this finalizer")
	flag.Parse()
	cfg, err := clientcmd.BuildConfigFromFlags("", *kc)
	if err != nil {
		panic(err)
	}
	cfg.UserAgent = "peer-driver"
	hc, err = rest.HTTPClientFor(cfg)
	if err != nil {
		panic(err)
	}
	base = strings.TrimSuffix(cfg.Host, "/")
	coll = "/apis/peers.dev/v1/namespaces/" + ns + "/widgets"
	if *spids != "" {
		b, _ := os.ReadFile(*spids)
		for _, l := range strings.Split(string(b), "\n") {
			if f := strings.Fields(l); len(f) >= 2 {
				pids[f[0]], _ = strconv.Atoi(f[1])
			}
		}
	}
	if *crd != "" {
		b, err := os.ReadFile(*crd)
		if err != nil {
			panic(err)
		}
		c, rb, err := do("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/yaml", string(b))
		if c != 201 && c != 409 {
			must(c, rb, err)
		}
		c, rb, err = do("POST", "/api/v1/namespaces", "application/json", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": ns}})
		if c != 201 && c != 409 {
			must(c, rb, err)
		}
		for i := 0; i < 100; i++ {
			if c, _, _ := do("GET", coll, "", nil); c == 200 {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	clean(*conc)
	if *onlyClean {
		return
	}
	if *onlyCreate {
		d := issue(*n, *conc, 0, func(i int) {
			c, b, err := do("POST", coll, "application/json", body(i, int64(i+1), *fin))
			must(c, b, err)
		})
		fmt.Println(js(map[string]any{"created": *n, "ms": d.Milliseconds()}))
		return
	}
	_, rv := list()
	s := &seen{}
	s.expect("", nil)
	ctx, cancel := context.WithCancel(context.Background())
	go s.watch(ctx, rv)

	var op *exec.Cmd
	exited := make(chan error, 1)
	var tStart time.Time
	startOp := func() {
		a := flag.Args()
		if len(a) == 0 {
			return
		}
		op = exec.Command(a[0], a[1:]...)
		op.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if *oplog != "" {
			f, _ := os.Create(*oplog)
			op.Stdout, op.Stderr = f, f
		}
		tStart = time.Now()
		if err := op.Start(); err != nil {
			panic(err)
		}
		pids["operator"] = op.Process.Pid
		go func() { exited <- op.Wait() }()
	}
	out := map[string]any{"w": "W3", "peer": *label, "variant": *variant, "n": *n, "conc": *conc, "rate": *rate}
	wait := func() bool {
		select {
		case <-s.done:
			return true
		case err := <-exited:
			fmt.Fprintln(os.Stderr, "drive: operator exited early:", err)
			out["operatorExited"] = fmt.Sprint(err)
			exited <- err
			return false
		case <-time.After(*timeout):
			return false
		}
	}
	res := func(phase string, t0 time.Time, issued time.Duration, a snap, own map[string]float64, ok bool) {
		time.Sleep(*settle)
		b := take()
		s.mu.Lock()
		defer s.mu.Unlock()
		req, tot, cpu := diff(a, b, own)
		p := map[string]any{"ms": r2(float64(s.last.Sub(t0).Microseconds()) / 1000), "issueMs": issued.Milliseconds(), "p50": pct(s.lat, .5), "p99": pct(s.lat, .99), "max": pct(s.lat, 1), "requests": req, "requestsPerObject": r2(tot / float64(*n)), "cpuS": cpu, "watchEvents": s.events}
		if !ok {
			p["unhandled"] = s.left
		}
		if op != nil {
			p["rssMB"] = pidMB(op.Process.Pid, "VmRSS")
		}
		out[phase] = p
	}
	want := func(off int64) map[string]int64 {
		m := map[string]int64{}
		for i := 0; i < *n; i++ {
			m[name(i)] = int64(i+1) + off
		}
		return m
	}
	create := func() time.Duration {
		return issue(*n, *conc, *rate, func(i int) {
			s.mark(name(i), time.Now())
			c, b, err := do("POST", coll, "application/json", body(i, int64(i+1), ""))
			must(c, b, err)
		})
	}
	if *variant == "running" {
		startOp()
		// the canary says that the operator is ready
		s.expect("status", map[string]int64{"canary": 7})
		c, b, err := do("POST", coll, "application/json", map[string]any{"apiVersion": "peers.dev/v1", "kind": "Widget", "metadata": map[string]any{"name": "canary"}, "spec": map[string]any{"value": 7}})
		must(c, b, err)
		if !wait() {
			fmt.Fprintln(os.Stderr, "drive: the operator did not handle the canary")
			os.Exit(4)
		}
		out["startToFirstHandledMs"] = time.Since(tStart).Milliseconds()
		s.expect("gone", map[string]int64{"canary": 7})
		c, b, err = do("DELETE", coll+"/canary", "", nil)
		must(c, b, err)
		wait()
		time.Sleep(2 * time.Second)
		out["idleRssMB"] = pidMB(op.Process.Pid, "VmRSS")
	}
	for _, ph := range strings.Split(*phases, ",") {
		switch ph {
		case "create":
			if *variant == "existing" {
				create()
				time.Sleep(time.Second)
				s.expect("status", want(0))
				for i := 0; i < *n; i++ {
					s.mark(name(i), time.Now())
				}
				a := take()
				t0 := time.Now()
				for i := 0; i < *n; i++ {
					s.mark(name(i), t0)
				}
				startOp()
				ok := wait()
				a.cpu["operator"] = 0
				res("create", t0, 0, a, nil, ok)
			} else {
				s.expect("status", want(0))
				a := take()
				t0 := time.Now()
				d := create()
				ok := wait()
				res("create", t0, d, a, map[string]float64{"POST widgets": float64(*n)}, ok)
			}
		case "update":
			s.expect("status", want(1000000))
			a := take()
			t0 := time.Now()
			d := issue(*n, *conc, *rate, func(i int) {
				s.mark(name(i), time.Now())
				c, b, err := do("PATCH", coll+"/"+name(i), "application/merge-patch+json", fmt.Sprintf(`{"spec":{"value":%d}}`, i+1+1000000))
				must(c, b, err)
			})
			ok := wait()
			res("update", t0, d, a, map[string]float64{"PATCH widgets": float64(*n)}, ok)
		case "delete":
			s.expect("gone", want(0))
			a := take()
			t0 := time.Now()
			d := issue(*n, *conc, *rate, func(i int) {
				s.mark(name(i), time.Now())
				c, b, err := do("DELETE", coll+"/"+name(i), "", nil)
				must(c, b, err)
			})
			ok := wait()
			res("delete", t0, d, a, map[string]float64{"DELETE widgets": float64(*n)}, ok)
		}
	}
	if op != nil {
		out["peakRssMB"] = pidMB(op.Process.Pid, "VmHWM")
		out["cpuTotalS"] = r2(pidCPU(op.Process.Pid))
		t := time.Now()
		_ = op.Process.Signal(syscall.SIGTERM)
		select {
		case <-exited:
		case <-time.After(20 * time.Second):
			_ = op.Process.Kill()
			out["killed"] = true
		}
		out["exitMs"] = time.Since(t).Milliseconds()
	}
	cancel()
	fmt.Println(js(out))
}
func js(m map[string]any) string { b, _ := json.Marshal(m); return string(b) }
