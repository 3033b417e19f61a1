import type { Homelab } from 'homelab-ports/ports'
import type { Limits, Task } from 'protocol'
import type { Config } from '../config/config.ts'
import type { Foundation } from '../foundation.ts'
import { createStreamRedactor, quote } from '../gate/index.ts'
import { defineRoom } from '../house.ts'
import { limitsRoutes } from '../http/limits.ts'
import { nodeRolesRoutes } from '../http/node-roles.ts'
import { samplesRoutes } from '../http/samples.ts'
import type { Clock } from '../lib/clock.ts'
import { SqliteGenerationStore } from '../store/sqlite/generations.ts'
import { SqliteSampleStore } from '../store/sqlite/samples/samples.ts'
import type { OpenDemo } from './demo.ts'
import { fillSamples } from './fill-samples.ts'
import { Identities } from './identities.ts'
import { createLimits } from './limits.ts'
import { RolesOfNodes, withNodeRoles } from './node-roles.ts'
import { Notices, taskWords } from './notices.ts'
import { reasonOf } from './operations/left-of.ts'
import { connectHomelab } from './real.ts'
import { redactedHomelab } from './redacted.ts'
import { startSampler } from './sampler.ts'
import { samplesOfGuests, withIdentities } from './with-identities.ts'

/** The homelab: the real cluster or the demo, and its limits, samples and node roles. */
export const homelabRoom = defineRoom({
  name: 'homelab',
  open(needs: HomelabNeeds) {
    const homelab = openHomelab(needs)
    return {
      homelab,
      contributes: { routes: Object.values(homelab.routes).flat() },
      start: homelab.fillPast,
      stop: homelab.stop,
      close: () => homelab.cluster.close(),
    }
  },
})

type HomelabNeeds = {
  foundation: Foundation
  config: Config
  /** Makes the demo's cluster, which is opened if no cluster is configured. */
  demo: OpenDemo | undefined
  /** A homelab in place of the configured one, for tests. */
  replaced: Homelab | undefined
}

function openHomelab({ foundation, config, demo, replaced }: HomelabNeeds) {
  const { clock, now, database, settings, journal, redactor, report, activity } = foundation
  // One shared set, because policy.yaml adds protected targets to it later.
  const shownAsProtected = new Set(config.protectedTargets)
  const nodeRoles = new RolesOfNodes({
    settings,
    record: (change) => journal.append('settings', { change: 'node_roles', ...change }),
    durably: database.durably,
  })
  const made = replaced ?? createHomelab({ ...config, protectedTargets: shownAsProtected }, clock, demo)
  const shown = redactedHomelab(withNodeRoles(made, nodeRoles), {
    value: redactor.value,
    later: redactor.later,
    stream: () => createStreamRedactor(redactor),
  })
  const addresses = config.proxmox?.urls ?? [shown.cluster.state().isDemo ? 'demo' : 'real']
  const generations = new SqliteGenerationStore(database)
  generations.keepOf(addresses)
  const identities = new Identities({
    store: generations,
    marks: (vmid) => shown.cluster.marks?.(vmid),
    report: (error) => report(error, 'which guest has a number could not be kept'),
  })
  const homelab = withIdentities(shown, identities)
  const { cluster } = homelab
  const limits = createLimits({
    settings,
    record: (change) => journal.append('settings', { change: 'limits', ...change }),
    durably: database.durably,
    changed: () => activity.changed({ what: 'limits' }),
  })

  const stopTelling = tellActivity(homelab, { limits: limits.current, foundation })
  const kept = new SqliteSampleStore(database)
  kept.keepOf(addresses)
  const samples = samplesOfGuests(kept, (vmid) => identities.of(vmid), cluster.state)
  const sampler = startSampler({
    state: cluster.state,
    store: samples,
    clock,
    report: (error) => report(error, 'the samples of this minute could not be kept'),
  })
  let filling: ReturnType<typeof fillSamples> | undefined

  return {
    homelab,
    cluster,
    limits,
    samples,
    shownAsProtected,
    nodeRoles,
    /** Terminals and consoles that operators may open; undefined if terminals are switched off. */
    openable: config.isTerminalOn ? { terminals: homelab.terminals, consoles: homelab.consoles, cluster } : undefined,
    routes: {
      samples: samplesRoutes(samples, now),
      limits: limitsRoutes(limits),
      'node-roles': nodeRolesRoutes(nodeRoles),
    },
    /** Starts filling the samples with the cluster's own records, in the background. */
    fillPast() {
      filling = fillSamples({
        cluster,
        store: samples,
        clock,
        changed: () => activity.changed({ what: 'samples' }),
        log: (line) => foundation.log(line, 'warning'),
      })
    },
    /** Ends the watchers and the sampler. Connections to the cluster stay open. */
    stop() {
      stopTelling()
      identities.stop()
      sampler.stop()
      filling?.stop()
    },
  }
}

/** Writes activity lines about the cluster, from its present state on. @returns a function that ends this */
function tellActivity(
  { api, cluster }: Homelab,
  { limits, foundation: { activity, report } }: { limits: () => Limits; foundation: Foundation },
): () => void {
  const notices = new Notices(limits)
  const logs = new AbortController()
  /** Returns the activity line of a task with its reason, or without one if the task's log cannot be read. */
  async function explained(task: Task): Promise<string> {
    const { upid, exitStatus = '' } = task
    const reason = await reasonOf(api, { upid, exitStatus }, logs.signal)
    return taskWords(reason === exitStatus ? task : { ...task, reason })
  }
  const tell = () => {
    for (const { task, ...line } of notices.of(cluster.state())) {
      if (task === undefined) activity.record(line)
      else
        explained(task).then(
          (text) => logs.signal.aborted || activity.record({ ...line, text }),
          (error: unknown) => logs.signal.aborted || report(error, 'a line of the activity could not be kept'),
        )
    }
  }
  tell()
  const unwatch = cluster.watch(tell, 'idle')
  return () => {
    unwatch()
    logs.abort()
  }
}

function createHomelab(
  { proxmox, pbs, drill, ssh, nodes, wolTarget, protectedTargets }: Config,
  clock: Clock,
  demo: OpenDemo | undefined,
): Homelab {
  if (proxmox === undefined) {
    if (demo === undefined) throw new Error('No cluster is configured, and the demo was not loaded.')
    return demo({ clock, protectedTargets })
  }
  return connectHomelab({
    connection: proxmox,
    drillToken: drill.token,
    pbs,
    ssh,
    quote,
    nodes,
    wolTarget,
    clock,
    protectedTargets,
  })
}

export type ComposedHomelab = ReturnType<typeof openHomelab>
