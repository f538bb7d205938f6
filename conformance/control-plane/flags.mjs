/**
 * How each server of a throw-away control plane is started. Everything listens on loopback alone.
 */
import { join } from 'node:path'

/** @typedef {import('./files.mjs').Ports} Ports */

/** @param {string} dir @param {Ports} ports */
export function etcdFlags(dir, ports) {
  const clients = `http://127.0.0.1:${ports.etcd}`
  const peers = `http://127.0.0.1:${ports.etcdPeer}`
  return [
    '--name=default',
    `--data-dir=${join(dir, 'etcd')}`,
    `--listen-client-urls=${clients}`,
    `--advertise-client-urls=${clients}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
    // Nobody will miss this data after a power cut. For the same reason no write latency from here is worth quoting.
    '--unsafe-no-fsync',
    '--log-level=warn',
  ]
}

/** @param {string} dir @param {Ports} ports */
export function apiServerFlags(dir, ports) {
  return [
    '--bind-address=127.0.0.1',
    `--secure-port=${ports.api}`,
    '--advertise-address=127.0.0.1',
    // A loopback address is not a valid endpoint, and the reconciler would complain of it for ever.
    '--endpoint-reconciler-type=none',
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    `--tls-cert-file=${join(dir, 'server.crt')}`,
    `--tls-private-key-file=${join(dir, 'server.key')}`,
    `--client-ca-file=${join(dir, 'ca.crt')}`,
    `--token-auth-file=${join(dir, 'tokens.csv')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(dir, 'service-account.pub')}`,
    `--service-account-signing-key-file=${join(dir, 'service-account.key')}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=RBAC',
    // Pods need no service account here: nothing runs them.
    '--disable-admission-plugins=ServiceAccount',
    '--allow-privileged=true',
  ]
}

/** Only what tests can see: without these two, namespaces stay Terminating and nothing is garbage-collected. @param {string} kubeconfig */
export function controllerManagerFlags(kubeconfig) {
  return [
    `--kubeconfig=${kubeconfig}`,
    '--controllers=garbage-collector-controller,namespace-controller',
    '--leader-elect=false',
    '--secure-port=0',
  ]
}
