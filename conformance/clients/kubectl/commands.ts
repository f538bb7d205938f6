/**
 * What is typed, in order; each command finds what those before it have left. A line may say more about itself:
 * `name& COMMAND` goes on beside those that follow, until `name$ N` has seen N lines of it and ends it; what it printed belongs to the latter.
 * `name? N` waits for N lines of it, and `name= N` until it ends by itself.
 * `+N` at the end waits on the live server, whose caches and controllers take N seconds.
 */
export const commands: readonly string[] = [
  ...['version', 'cluster-info', 'api-versions', 'api-resources', 'api-resources --namespaced=false -o name'],
  ...['api-resources --api-group=apps -o wide', 'api-resources --verbs=deletecollection -o name', 'get --raw /readyz'],
  ...['get namespaces', 'get ns default -o yaml', 'create namespace table', 'get ns table', 'create namespace table'],
  'config set-context --current --namespace=table',

  // Definitions.
  ...['get widgets', 'create -f no-such-kind.yaml', 'apply -f crd.json', 'apply -f crd.json'],
  'wait --for=condition=established --timeout=60s crd/widgets.clients.example.com +3',
  ...['get crd', 'get crd widgets.clients.example.com -o wide', 'api-resources --api-group=clients.example.com'],
  ...['api-versions', 'get widgets', 'get wd -A', 'get widgets.v1.clients.example.com', 'get widget nothing'],

  // Explanations.
  ...['explain widget', 'explain widget.spec', 'explain widget.spec.size', 'explain widgets --recursive'],
  ...['explain pods.spec.containers.image', 'explain deployment --api-version=apps/v1', 'explain configmap'],
  ...['explain configmap.nothing', 'explain nothing', 'explain cronjob.spec --recursive'],

  // Custom objects: create, read, apply, change.
  ...['create -f widgets.yaml --dry-run=client', 'create -f widgets.yaml --dry-run=server', 'get widgets'],
  ...[
    'create -f widgets.yaml',
    'create -f widgets.yaml',
    'create -f widget-wrong.yaml',
    'create -f widget-unknown.yaml',
  ],
  'create -f widget-unknown.yaml --validate=warn --dry-run=server',
  'create -f widget-unknown.yaml --validate=ignore --dry-run=server -o yaml',
  ...['get widgets', 'get widgets -o wide', 'get widgets -o name', 'get widget one -o yaml', 'get widget one -o json'],
  ...['get widgets -o yaml', 'get widgets --show-labels', 'get widgets -L team', 'get widgets -l team=web'],
  ...['get widgets -l team!=web', 'get widgets -l team', 'get widgets --field-selector metadata.name=two'],
  ...[
    'get widgets -l "team in (web, db)"',
    'get widgets --field-selector spec.size=1',
    'get widgets -l "team in (web"',
  ],
  ...['get widgets -o jsonpath={.items[*].spec.size}', 'get widgets --sort-by=.spec.size --no-headers'],
  ...['get widgets -o custom-columns=NAME:.metadata.name,NOTE:.spec.note', 'get widgets --chunk-size=1'],
  ...['get widget one two', 'get widget/one configmap/nothing', 'get widgets -o go-template={{len\u00a0.items}}'],
  ...['describe widget one', 'describe widgets', 'describe widget nothing'],
  ...['apply -f widgets.yaml', 'apply -f widgets.yaml', 'diff -f widgets.yaml', 'diff -f widget-changed.yaml'],
  ...['apply -f widget-changed.yaml --dry-run=client', 'apply -f widget-changed.yaml --dry-run=server'],
  ...[
    'apply -f widget-changed.yaml',
    'get widget one -o yaml',
    'apply view-last-applied widget/one',
    'apply -f widget-wrong.yaml',
  ],
  ...['apply --server-side -f widgets.yaml', 'apply --server-side --force-conflicts -f widgets.yaml'],
  ...['apply --server-side -f widgets.yaml', 'apply --server-side --dry-run=server -f widget-changed.yaml'],
  ...['get widget one -o yaml --show-managed-fields', 'apply --server-side -f widget-unknown.yaml'],
  ...['apply --server-side --field-manager=other -f widget-changed.yaml', 'diff --server-side -f widget-changed.yaml'],
  ...['patch widget one -p {"spec":{"size":3}}', 'patch widget one --type=merge -p {"spec":{"size":3}}'],
  ...[
    'patch widget one --type=merge -p {"spec":{"size":3}}',
    'patch widget one --type=json -p [{"op":"replace","path":"/spec/size","value":4}]',
  ],
  ...[
    'patch widget one --type=json -p [{"op":"remove","path":"/spec/nothing"}]',
    'patch widget one --type=merge -p {"spec":{"size":"x"}}',
  ],
  ...[
    'patch widget one --subresource=status --type=merge -p {"status":{"phase":"Ready","observed":4}}',
    'get widget one',
  ],
  ...[
    'get widget one --subresource=status -o jsonpath={.status}',
    'get widget one --subresource=scale',
    'patch widget nothing --type=merge -p {}',
  ],
  ...[
    'label widget one tier=back',
    'label widget one tier=front',
    'label widget one tier=front --overwrite',
    'label widget one tier-',
  ],
  ...[
    'label widgets --all all=yes',
    'annotate widget one note=read',
    'annotate widget one note-',
    'annotate widget one note-',
  ],
  ...[
    'scale widget one --replicas=7',
    'scale widget one --current-replicas=3 --replicas=8',
    'scale widget one --current-replicas=7 --replicas=8',
  ],
  ...[
    'edit widget one',
    'get widget one -o jsonpath={.spec}',
    'replace -f widget-changed.yaml',
    'replace -f widget-wrong.yaml',
  ],
  ...['replace --force -f widget-changed.yaml', 'wait --for=jsonpath={.spec.size}=5 widget/one --timeout=60s'],
  ...['wait --for=condition=Ready widget/one --timeout=1s', 'wait --for=create widget/two --timeout=60s'],

  // Watches.
  ...[
    'a& get widgets -w',
    'b& get widget two -w',
    'c& get widgets -w --output-watch-events -o name',
    'a? 3',
    'b? 2',
    'c? 2',
  ],
  ...[
    'patch widget two --type=merge -p {"spec":{"size":20}}',
    'a? 4',
    'b? 3',
    'c? 3',
    'delete widget one',
    'a$ 5',
    'b$ 3',
    'c$ 4',
  ],

  // Deletion.
  ...[
    'create -f widget-held.yaml',
    'delete widget held --wait=false',
    'delete widget held --timeout=1s',
    'get widget held -o jsonpath={.metadata.deletionTimestamp}',
  ],
  ...[
    'd& delete widget held',
    'd? 1',
    'patch widget held --type=json -p [{"op":"remove","path":"/metadata/finalizers"}]',
    'd= 1',
    'wait --for=delete widget/held --timeout=60s',
  ],
  ...[
    'get widget held',
    'delete widget nothing',
    'delete widget nothing --ignore-not-found',
    'delete widgets -l team=db',
    'delete widgets --all',
  ],

  // Built-in kinds.
  ...[
    'create configmap made --from-literal=a=1 --from-literal=b=2',
    'get configmap made -o yaml',
    'create -f settings-unknown.yaml',
  ],
  ...[
    'apply -f settings.yaml',
    'apply -f settings.yaml',
    'diff -f settings-changed.yaml',
    'apply -f settings-changed.yaml',
  ],
  ...[
    'get configmap settings -o yaml',
    'describe configmap settings',
    'edit configmap settings',
    'get cm settings -o jsonpath={.data}',
  ],
  ...[
    'create secret generic hidden --from-literal=key=value',
    'get secrets',
    'describe secret hidden',
    'get secret hidden -o yaml',
  ],
  ...['apply -f set.yaml', 'get configmaps,secrets -l set=both', 'delete -f set.yaml'],
  ...[
    'create -f event.yaml',
    'get events',
    'events',
    'events --for configmap/settings',
    'get events -o wide',
    'describe configmap settings',
  ],
  ...[
    'get events --field-selector involvedObject.name=settings,type=Normal -o name',
    'get events --field-selector involvedObject.name=x',
  ],
  ...[
    'create serviceaccount bot',
    'get serviceaccount bot -o yaml',
    'create token nobody',
    'create quota small --hard=pods=2 --dry-run=server',
  ],

  // Workloads.
  ...[
    'apply -f deployment.yaml',
    'get deployments',
    'get deploy web -o wide',
    'get deploy web -o yaml',
    'describe deployment web',
  ],
  ...[
    'apply -f deployment-changed.yaml',
    'diff -f deployment.yaml',
    'get deploy web -o jsonpath={.spec.template.spec.containers[0]}',
  ],
  ...['apply --server-side -f deployment.yaml', 'apply --server-side --force-conflicts -f deployment.yaml'],
  ...[
    'set image deployment/web web=nginx:2',
    'set env deployment/web MODE=other',
    'set resources deployment web --limits=cpu=1',
    'set serviceaccount deployment web bot',
  ],
  ...[
    'scale deployment web --replicas=4',
    'scale deployment web --current-replicas=1 --replicas=2',
    'scale deployment web --current-replicas=4 --replicas=2',
  ],
  ...[
    'patch deployment web -p {"spec":{"template":{"spec":{"containers":[{"name":"web","image":"nginx:3"}]}}}}',
    'get deploy web -o wide',
  ],
  ...[
    'rollout pause deployment/web',
    'rollout resume deployment/web',
    'rollout resume deployment/web',
    'rollout history deployment/web',
  ],
  ...['rollout restart deployment/web', 'rollout status deployment/web --watch=false', 'rollout undo deployment/web'],
  ...[
    'autoscale deployment web --min=1 --max=3',
    'get hpa web',
    'expose deployment web --port=80',
    'get service web -o wide',
    'describe service web',
  ],
  ...[
    'create deployment plain --image=busybox',
    'create job once --image=busybox',
    'get jobs',
    'create cronjob nightly --image=busybox --schedule=0\u00a00\u00a0*\u00a0*\u00a0*',
  ],
  ...[
    'get cronjobs',
    'create ingress entry --rule=example.com/=web:80',
    'get ingress',
    'create poddisruptionbudget safe --selector=app=web --min-available=1',
    'get pdb',
  ],
  ...['create priorityclass high --value=10 --dry-run=server -o yaml', 'get all'],
  ...[
    'create -f pod.yaml',
    'get pods',
    'get pods -o wide',
    'get pod lone -o yaml',
    'describe pod lone',
    'logs lone',
    'run another --image=busybox --restart=Never',
  ],
  ...[
    'get pods --field-selector=status.phase=Pending',
    'get pods --field-selector=spec.nothing=x',
    'label pod lone app=other --overwrite',
    'delete pod lone another --grace-period=0 --force',
  ],
  ...[
    'create -f node.yaml',
    'get nodes',
    'cordon node-1',
    'uncordon node-1',
    'taint nodes node-1 key=value:NoSchedule',
    'describe node node-1',
    'delete node node-1',
  ],

  // Permissions.
  ...[
    'auth can-i create widgets',
    'auth can-i * * --all-namespaces',
    'auth can-i get pods --subresource=log',
    'auth can-i --list',
  ],
  ...[
    'auth can-i list secrets --as nobody',
    'auth can-i get widgets/nothing',
    'get pods --as nobody',
    'auth reconcile -f settings.yaml',
  ],

  // The end.
  ...['delete deployment web plain', 'delete job once', 'delete cronjob,ingress,pdb,hpa,service --all', 'get all'],
  ...[
    'delete crd widgets.clients.example.com',
    'get widgets',
    'delete namespace table',
    'get namespace table',
    'get configmaps -n table',
  ],
]
