import type { Grammar } from '../grammar.ts'
import { number, times } from '../patterns.ts'

const none: Grammar = {}
/** Kinds of Kubernetes objects without secrets or settings. `secrets`, `configmaps` and custom resources are left out. */
const kind =
  'po|pods?|no|nodes?|ns|namespaces?|svc|services?|deploy|deployments?|rs|replicasets?|sts|statefulsets?|ds|daemonsets?|jobs?|cj|cronjobs?|ing|ingress(?:es)?|ep|endpoints|endpointslices?|pvc?|persistentvolumes?|persistentvolumeclaims?|sc|storageclass(?:es)?|hpa|horizontalpodautoscalers?|ev|events?|quota|resourcequotas?|limits|limitranges?|netpol|networkpolic(?:y|ies)|pdb|poddisruptionbudgets?|ingressclass(?:es)?|priorityclass(?:es)?|leases?'
const name = '[a-z0-9][a-z0-9.-]{0,252}'
const kinds = new RegExp(`^(?:(?:${kind})(?:,(?:${kind})){0,7}|(?:${kind})/${name})$`)
const oneKind = new RegExp(`^(?:${kind})(?:/${name})?$`)
const named = new RegExp(`^${name}$`)
const namespace = { '-n': named, '--namespace': named }
const selector = /^[\w./-]+(?:!?==?[\w.-]*)?(?:,[\w./-]+(?:!?==?[\w.-]*)?){0,5}$/
const where = {
  '-l': selector,
  '--selector': selector,
  '--field-selector':
    /^(?:status\.phase|spec\.nodeName|metadata\.(?:name|namespace)|involvedObject\.(?:name|kind)|type|reason)!?==?[\w.-]+$/,
}
/** Allowed sort keys: times, names and counts. An order by other fields would reveal their values. */
const order =
  /^\{?\.(?:lastTimestamp|firstTimestamp|count|metadata\.(?:creationTimestamp|name|namespace)|status\.(?:startTime|phase))\}?$/
const follows = { '-f': 'wait for more and never end', '--follow': 'wait for more and never end' }
const waits = { '-w': 'wait for more and never end', '--watch': 'wait for more and never end' }

const kubectl: Grammar = {
  shared: true,
  values: namespace,
  sub: {
    get: {
      flags: 'A',
      words: ['--all-namespaces', '--no-headers', '--show-labels'],
      values: { '-o': /^(?:wide|name)$/, '--output': /^(?:wide|name)$/, '--sort-by': order, ...where },
      operands: [kinds],
      rest: named,
      min: 1,
      denied: waits,
    },
    describe: {
      flags: 'A',
      words: ['--all-namespaces'],
      values: where,
      operands: [oneKind],
      rest: named,
      min: 1,
    },
    logs: {
      flags: 'p',
      words: ['--previous', '--timestamps', '--all-containers', '--prefix'],
      values: { '-c': named, '--container': named, '--tail': number, '--since': /^\d{1,5}[smh]$/, '-l': selector },
      operands: [new RegExp(`^(?:(?:pods?|po|deploy|deployments?|job|sts|statefulset|ds|daemonset)/)?${name}$`), named],
      min: 1,
      denied: follows,
    },
    top: {
      sub: Object.fromEntries(
        ['node', 'nodes', 'no', 'pod', 'pods', 'po'].map((what) => [
          what,
          {
            flags: 'A',
            words: ['--all-namespaces', '--containers', '--no-headers'],
            values: { '--sort-by': /^(?:cpu|memory)$/ },
            operands: [named],
          },
        ]),
      ),
    },
    rollout: { sub: { history: { operands: [oneKind, named], min: 1, values: { '--revision': times } } } },
    version: { words: ['--client'] },
    'cluster-info': none,
    'api-resources': none,
  },
  deniedSubs: {
    exec: 'runs a program in a container',
    cp: 'copies files',
    debug: 'starts a container',
    proxy: 'opens a door',
    delete: 'deletes',
    apply: 'changes the cluster',
    edit: 'starts an editor',
    config: 'shows keys',
  },
}

/** Programs that show Kubernetes workloads, their state and their logs. */
export const kubernetesPrograms: Readonly<Record<string, Grammar>> = {
  kubectl,
  k3s: { sub: { kubectl }, words: ['-v', '--version'], subOptional: true, check: hasOption },
  microk8s: { sub: { kubectl } },
}

function hasOption({ options }: { options: ReadonlySet<string> }): string | undefined {
  return options.size > 0 ? undefined : 'k3s needs a sub-command that only reads.'
}
