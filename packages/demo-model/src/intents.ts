import type { ClusterState } from 'protocol'
import { mentions } from './mentions.ts'
import { leadsOf, nameOf } from './state-offers.ts'

/** Names that stand in the sentences: real ones, so that each sentence works as it is. */
type Cast = {
  guest: string | undefined
  /** A guest whose name the text holds, otherwise `guest`. */
  meant: string | undefined
  stopped: string | undefined
  node: string | undefined
  /** A node to which `meant` can move. */
  other: string | undefined
  storage: string | undefined
  meantType: 'vm' | 'ct'
}

/**
 * Something that a person may want, with the sentence for it. `about`: more words for it. `says` returns undefined if the cluster has nothing to
 * name. `verb`: the verb of a change; without one it only reads.
 */
export type Intent = {
  tool: string | ((cast: Cast) => string)
  verb?: string
  about: string
  says(cast: Cast): string | undefined
}

const reads = (tool: string, says: Intent['says'] | string, about: string): Intent => ({
  tool,
  about,
  says: typeof says === 'string' ? () => says : says,
})
const changes = (
  verb: string,
  tool: Intent['tool'],
  ...[about, says]: [about: string, says: Intent['says'] | string]
): Intent => ({
  tool,
  verb,
  about,
  says: typeof says === 'string' ? () => says : says,
})
const ofMeant = (told: (name: string) => string) => (cast: Cast) => cast.meant && told(cast.meant)
const ofNode = (told: (name: string) => string) => (cast: Cast) => cast.node && told(cast.node)
const power = (verb: 'start' | 'stop' | 'restart') => (cast: Cast) =>
  `${verb}_${cast.meantType === 'vm' ? 'vm' : 'container'}`

export const intents: readonly Intent[] = [
  reads(
    'get_cluster_status',
    'is everything fine?',
    'cluster health status overview summary problem trouble wrong broken ok quorum',
  ),
  reads('get_recent_tasks', 'what happened today?', 'history recent activity night morning news changed log event'),
  reads('get_recent_tasks', 'show the recent tasks', 'task job running failed activity'),
  reads(
    'get_recent_tasks',
    ofNode((node) => `what happened to ${node}?`),
    'node crash crashed rebooted offline outage power',
  ),
  reads('list_alerts', 'which alerts are firing?', 'alert alarm warning notification monitoring issue'),
  reads('get_vms', 'which guests are running?', 'vm container machine server list up online running inventory'),
  reads('get_vms', 'which guests are stopped?', 'vm container down off stopped offline'),
  reads('get_vms', 'what uses the most memory?', 'ram memory consumption heavy hungry most usage top'),
  reads('get_vms', 'what uses the most cpu?', 'processor cpu load busy heavy most usage top'),
  reads(
    'get_vms',
    ofMeant((name) => `how is ${name}?`),
    'guest state doing running uptime status',
  ),
  reads(
    'get_guest_config',
    ofMeant((name) => `show the config of ${name}`),
    'configuration settings hardware options cores details',
  ),
  reads(
    'get_guest_config',
    ofMeant((name) => `what is the ip of ${name}?`),
    'address network mac host reach connect',
  ),
  reads(
    'get_node_status',
    ofNode((node) => `how is ${node}?`),
    'node host cpu load uptime memory status',
  ),
  reads('get_node_temperature', 'how hot are the nodes?', 'temperature heat degrees celsius warm cool fan sensor'),
  reads(
    'get_node_temperature',
    ofNode((node) => `why is ${node} hot?`),
    'temperature heat overheating cause fan loud noisy',
  ),
  reads(
    'get_node_temperature',
    ofNode((node) => `what keeps ${node} busy?`),
    'slow sluggish lag load cpu performance cause',
  ),
  reads(
    'get_node_journal',
    ofNode((node) => `show the journal of ${node}`),
    'log syslog journal messages kernel',
  ),
  reads(
    'get_node_network',
    ofNode((node) => `show the network of ${node}`),
    'network bridge interface vlan nic ip address',
  ),
  reads(
    'get_updates',
    ofNode((node) => `which updates are pending on ${node}?`),
    'update upgrade patch package version apt',
  ),
  reads('get_storage', 'how much space is left?', 'storage disk space free full capacity size'),
  reads(
    'get_storage',
    ({ storage }) => storage && `what fills ${storage}?`,
    'full grow grew usage space storage large',
  ),
  reads('get_storage_health', 'are the disks healthy?', 'disk drive ssd smart zfs pool health wear scrub raid'),
  reads('get_backups', 'list the backups', 'backup list saved copies archive'),
  reads('get_backups', 'why are backups missing?', 'backup missing failed stale cause last night'),
  reads(
    'get_backups',
    ofMeant((name) => `when was ${name} last backed up?`),
    'backup age newest last saved',
  ),
  reads('get_uncovered_guests', 'which guests are in no backup job?', 'uncovered unprotected backup job without'),
  reads('get_pbs_status', 'how is the backup server?', 'pbs backup server garbage collection datastore'),
  reads(
    'get_pbs_snapshots',
    ofMeant((name) => `is the backup of ${name} verified?`),
    'verify verified verification backup integrity',
  ),
  reads('list_restore_proofs', 'which backups are proven?', 'proof proven tested restore drill'),
  reads(
    'list_snapshots',
    ofMeant((name) => `which snapshots does ${name} have?`),
    'snapshot list',
  ),
  reads('get_ha_state', 'what is the HA status?', 'high availability failover ha manager'),
  reads(
    'get_firewall',
    ofMeant((name) => `show the firewall of ${name}`),
    'firewall rule port open security',
  ),
  reads('get_replication', 'is the replication ok?', 'replication replicate sync copy'),
  reads('get_task_log', 'show the log of the failed task', 'log failed task error reason output'),
  reads('list_changes', 'what did you change?', 'change history audit did you modify'),
  reads('list_jobs', 'which jobs are there?', 'job schedule scheduled automation cron timer reminder recurring'),
  reads('list_runbooks', 'which runbooks are there?', 'runbook procedure playbook automation script'),
  reads('read_file', 'which files are there?', 'file folder directory script document'),
  reads('list_docker_containers', 'which containers run in docker?', 'docker compose container image'),
  reads(
    'memory_search',
    ofMeant((name) => `what do you remember about ${name}?`),
    'remember memory know note told',
  ),
  changes(
    'restart',
    power('restart'),
    'reboot restart bounce cycle hang stuck frozen',
    ofMeant((name) => `restart ${name}`),
  ),
  changes(
    'stop',
    power('stop'),
    'stop shutdown off kill halt pause suspend',
    ofMeant((name) => `stop ${name}`),
  ),
  changes(
    'start',
    ({ stopped, meantType }) => (stopped ? 'start_vm' : power('start')({ meantType } as Cast)),
    'start boot on launch resume run',
    ({ stopped }) => stopped && `start ${stopped}`,
  ),
  changes(
    'reboot',
    'reboot_node',
    'reboot node host restart',
    ofNode((node) => `reboot ${node}`),
  ),
  changes(
    'move',
    'propose_plan',
    'evacuate drain maintenance empty node move everything',
    ofNode((node) => `move everything off ${node} and reboot it`),
  ),
  changes(
    'move',
    'migrate_guest',
    'migrate move relocate transfer node',
    ({ meant, other }) => meant && other && `move ${meant} to ${other}`,
  ),
  changes(
    'snapshot',
    'take_snapshot',
    'snapshot checkpoint state save take create',
    ofMeant((name) => `take a snapshot of ${name}`),
  ),
  changes(
    'back',
    'back_up_guest',
    'backup save copy archive protect create',
    ofMeant((name) => `back up ${name}`),
  ),
  changes(
    'schedule',
    'schedule',
    'schedule automate plan job cron every night nightly daily recurring timer backup create',
    ofMeant((name) => `back up ${name} every night at 3`),
  ),
  changes(
    'schedule',
    'schedule',
    'schedule remind reminder morning report daily digest tell notify',
    () => 'every morning at 7: is everything fine?',
  ),
  changes(
    'restore',
    'restore_guest',
    'restore recover backup copy bring back',
    ofMeant((name) => `restore ${name}`),
  ),
  changes(
    'prove',
    'drill_restore',
    'test prove verify restore drill backup',
    ofMeant((name) => `does the backup of ${name} restore?`),
  ),
  changes(
    'set',
    'set_guest_config',
    'memory ram size set increase lower give resize add more allocate',
    ofMeant((name) => `give ${name} 2 GB`),
  ),
  changes(
    'set',
    'set_guest_config',
    'cores cpu set increase give add more allocate change',
    ofMeant((name) => `give ${name} 2 cores`),
  ),
  changes(
    'tag',
    'set_guest_config',
    'tag label add category',
    ofMeant((name) => `tag ${name} as important`),
  ),
  changes(
    'note',
    'set_guest_config',
    'note comment description write add document',
    ofMeant((name) => `note on ${name}: watch this one`),
  ),
  changes(
    'set',
    'set_guest_config',
    'boot startup automatically onboot autostart enable',
    ofMeant((name) => `start ${name} at boot`),
  ),
  changes(
    'clone',
    'clone_guest',
    'clone copy duplicate create new vm container make',
    ofMeant((name) => `clone ${name} as ${name}-copy`),
  ),
  changes(
    'refresh',
    'refresh_package_lists',
    'update refresh apt package lists upgrade install',
    ofNode((node) => `refresh the package lists on ${node}`),
  ),
  changes('undo', 'undo', 'undo revert back rollback delete remove change', 'undo that'),
  changes(
    'remember',
    'memory_write',
    'remember remind note write keep memo down',
    ofMeant((name) => `remember that ${name} matters most`),
  ),
  changes(
    'run',
    'execute_ssh',
    'run command shell ssh terminal execute script',
    ofNode((node) => `run "df -h" on ${node}`),
  ),
  changes(
    'change',
    'edit_file',
    'edit change file configuration write port compose',
    'change the port in compose/jellyfin.yml to 8097',
  ),
  changes(
    'run',
    'run_command',
    'sandbox run command script program execute test',
    'run "grep -c ERROR jellyfin.log" in the sandbox over logs',
  ),
  changes(
    'search',
    'web_search',
    'search web internet google find online look',
    'search the web for the latest jellyfin release',
  ),
  changes('delegate', 'delegate', 'agent helper delegate ask someone', 'ask another agent to look at the storages'),
]

const dayMs = 26 * 3_600_000

/** Chooses the names for the sentences. @param text whose names come first */
export function castOf(text: string, cluster: ClusterState): Cast {
  const { guests, nodes, storages } = cluster
  const said = mentions(text, cluster)
  const running = guests.filter(
    ({ status, isProtected, isTemplate }) => status === 'running' && !isProtected && !isTemplate,
  )
  // A small guest with a fresh backup can most likely be copied, restored and set back.
  const [fresh] = running
    .filter(({ type, backupAt }) => type === 'ct' && typeof backupAt === 'number' && cluster.at - backupAt < dayMs)
    .toSorted((a, b) => (a.diskTotalBytes ?? 0) - (b.diskTotalBytes ?? 0))
  const usual =
    fresh ??
    running.findLast(({ type, tags }) => type === 'ct' && tags.includes('media')) ??
    running.findLast(({ type }) => type === 'ct') ??
    running.at(-1) ??
    guests[0]
  const meant = said.guests[0] ?? usual
  const online = nodes.filter(({ status }) => status === 'online')
  const hottest = online.toSorted((a, b) => (b.temperatureC ?? 0) - (a.temperatureC ?? 0))[0]
  const [fullest] = storages
    .filter(({ isActive }) => isActive)
    .toSorted((a, b) => (b.usedBytes ?? 0) / (b.totalBytes || 1) - (a.usedBytes ?? 0) / (a.totalBytes || 1))
  const start = leadsOf(cluster).find(({ sentence }) => sentence.startsWith('start '))
  return {
    guest: usual && nameOf(usual, guests),
    meant: meant && nameOf(meant, guests),
    stopped: start?.sentence.slice('start '.length),
    node: (said.nodes[0] ?? hottest ?? nodes[0])?.name,
    other: online.find(({ name, isProtected }) => name !== meant?.node && !isProtected)?.name,
    storage: fullest?.name,
    meantType: meant?.type ?? 'ct',
  }
}

/** A sentence for an intent, and how near it is to what was said, 0 to 1. `isRead`: it changes nothing and names nothing that was not said. */
export type Near = { sentence: string; isRead: boolean; likeness: number }

const stop = new Set(
  'a all an and any are as at be can could do does for from have how i in is it me my of off on or please show sir tell that the there these this to want was we what when where which who why will with you your'.split(
    ' ',
  ),
)
const stem = (word: string) => {
  const one = word.replace(/s$/, '')
  return one.length > 4 ? one.replace(/(?:ing|ed|e)$/, '') : one
}
const wordsOf = (text: string) =>
  [...text.toLowerCase().matchAll(/[\p{L}][\p{L}'-]+/gu)].flatMap(([word]) => (stop.has(word) ? [] : [stem(word)]))

/** Compares two texts by meaning: 0 to 1. */
export type Likeness = (sentence: string) => number | undefined

/** Returns all sentences that the cluster has names for. */
export function intentSentences(text: string, cluster: ClusterState): string[] {
  const cast = castOf(text, cluster)
  return [...new Set(intents.flatMap(({ says }) => says(cast) ?? []))]
}

/**
 * Returns the sentences of the intents that are nearest to a text, nearest first.
 * @param tools names of the offered tools; nothing is returned that needs another
 * @param likeness compares the text with a sentence by meaning; undefined: only words count
 */
export function nearestIntents(
  text: string,
  { cluster, tools, likeness }: { cluster: ClusterState; tools: readonly string[]; likeness?: Likeness | undefined },
): Near[] {
  const cast = castOf(text, cluster)
  const { guests, nodes } = mentions(text, cluster)
  const names = new Set([...guests, ...nodes].flatMap(({ name }) => wordsOf(name)))
  const asked = [...new Set(wordsOf(text))].filter((word) => !names.has(word))
  const known = intents.flatMap((intent) => {
    const sentence = intent.says(cast)
    const tool = typeof intent.tool === 'string' ? intent.tool : intent.tool(cast)
    if (sentence === undefined || !tools.includes(tool)) return []
    // A sentence that names what nobody named would answer another question.
    const isInvented =
      (guests.length === 0 && cast.meant !== undefined && sentence.includes(cast.meant)) ||
      (nodes.length === 0 && cast.node !== undefined && sentence.includes(cast.node))
    const isRead = intent.verb === undefined && !isInvented
    return [{ sentence, verb: intent.verb, isRead, words: new Set(wordsOf(`${sentence} ${intent.about}`)) }]
  })
  const rarity = (word: string) =>
    Math.log(1 + known.length / (1 + known.filter(({ words }) => words.has(word)).length))
  const weight = asked.reduce((sum, word) => sum + rarity(word), 0) || 1
  const [first = ''] = asked
  return known
    .map(({ sentence, verb, isRead, words }) => {
      const shared = asked.filter((word) => words.has(word)).reduce((sum, word) => sum + rarity(word), 0) / weight
      const byVerb = verb !== undefined && words.has(first) ? 0.1 : 0
      const byMeaning = likeness?.(sentence)
      return {
        sentence,
        isRead,
        likeness: Math.min(1, byVerb + (byMeaning === undefined ? shared : (shared + byMeaning) / 2)),
      }
    })
    .toSorted((a, b) => b.likeness - a.likeness)
}
