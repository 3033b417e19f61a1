import type { ClusterState } from 'protocol'
import { amountsIn, backupStorage, freeId, type OfGuest, type Said, snapshotName, unquoted } from './act-inputs.ts'
import { benchActs } from './bench-acts.ts'
import { browserActs } from './browser.ts'
import { dockerActs } from './docker.ts'
import { addressOf } from './inquiries/address.ts'
import { evacuated } from './inquiries/evacuated.ts'
import type { Inquiry } from './inquiries/inquiry.ts'
import { quieted } from './inquiries/quieted.ts'
import { restored } from './inquiries/restored.ts'
import { undone } from './inquiries/undone.ts'
import { offer } from './offers.ts'
import { changeVerbs } from './strange.ts'
import { webActs } from './web.ts'

/** The input of the tool. A text is a question to the person, asked instead of the call. */
type Input = Record<string, unknown> | string

/**
 * A tool, and patterns of the sentences that ask for it. The named capture group `who` holds the targets; the tool is called once for each target.
 */
export type Act = { tool: string; says: readonly RegExp[] } & (
  | { on: 'guest'; input(said: OfGuest): Input }
  | { on: 'guest'; inquiry(said: OfGuest): Inquiry }
  | { on: 'node' }
  /** `takes`: the kinds of targets that the tool accepts. Without a target in the sentence, the tool is called for all. */
  | { on: 'any'; takes: readonly ('vmid' | 'node')[]; input?: Record<string, unknown> }
  | { on: 'nothing'; input(said: Said): Input }
  | { on: 'nothing'; inquiry(said: Said): Inquiry }
)

const sentence = (pattern: string) =>
  new RegExp(`^(?:${pattern.replaceAll(' ?', '\\s*').replaceAll(' ', '\\s+')})\\W*$`, 'is')
const orders = ['start', 'stop', 'restart', 'reboot', 'shut', 'turn', 'power', 'wake', 'kill', ...changeVerbs].join('|')
/** Makes the pattern of a question. A sentence that begins with an order is not a question. */
const question = (pattern: string) => sentence(`(?<who>(?!(?:${orders})\\b).*\\b(?:${pattern})\\b.*)`)
const who = '(?<who>.+?)'
const named = '(?:called|named|as) (?<name>["“]?[a-z][\\w.-]*["”]?)'
const backup = 'back(?: |-)?ups?'
const aNode = '(?:the )?(?:node )?(?<node>[\\w.-]+)'
const andThen =
  '(?:,? (?:and|then)(?: then)? (?<then>reboot|restart|update|upgrade|shut|turn|power)(?: (?:it|the node))?(?: (?:down|off))?)?'
const onTo = '(?: (?:to|onto) (?<storage>[\\w.-]+))?'

/** Words for an alert, with or without the word itself: `the alert of immich`, `the disk alert`. */
const alertWords = '(?<about>(?:(?:the|that|this) )?(?:\\S+ ){0,6}?(?:alert|alarm|warning)(?: \\S+){0,6}?)'
const forHours = '(?: for (?:(?<count>\\d{1,3}|an?|two|three|four|six|twelve) (?<unit>hours?|days?)|(?<today>today)))?'
const counts: Readonly<Record<string, number>> = { a: 1, an: 1, two: 2, three: 3, four: 4, six: 6, twelve: 12 }

/** The hours of a silence; undefined: the person named none. */
function hoursOf({ count, unit = '', today }: Record<string, string | undefined>): number | undefined {
  if (today !== undefined) return 24
  if (count === undefined) return undefined
  const number = counts[count.toLowerCase()] ?? Number(count)
  return /^day/i.test(unit) ? number * 24 : number
}

const onlyVmid = ({ guest: { vmid } }: OfGuest) => ({ vmid })
const ofGuest = (tool: string, says: string | readonly RegExp[], input: (said: OfGuest) => Input = onlyVmid): Act => ({
  tool,
  on: 'guest',
  says: typeof says === 'string' ? [sentence(says)] : says,
  input,
})
const ofNode = (tool: string, says: RegExp): Act => ({ tool, on: 'node', says: [says] })
const ofAny = (
  tool: string,
  pattern: string,
  { takes, input }: { takes: readonly ('vmid' | 'node')[]; input?: Record<string, unknown> },
): Act => ({ tool, on: 'any', takes, says: [question(pattern)], ...(input && { input }) })
const config = (pattern: string, set: (said: OfGuest) => Record<string, unknown>) =>
  ofGuest('set_guest_config', pattern, (said) => ({ vmid: said.guest.vmid, set: set(said) }))

const description = ({ words }: OfGuest) => ({ description: unquoted(words.text) })
const inGuest = ofGuest(
  'run_in_guest',
  `(?:run|execute) (?<command>.+) (?:in|inside(?: of)?) ${who}`,
  ({ guest, words }) => ({
    vmid: guest.vmid,
    command: unquoted(words.command).split(/\s+/),
  }),
)

/** Sentences that are tried before the message is split into clauses or taken for a shell command: `note on 104: a, b`, `run a drill of 104`. */
export const wholeActs: readonly Act[] = [
  ...webActs,
  ...browserActs,
  ...dockerActs,
  ...benchActs,
  config(`(?:note|description|comment) (?:on|for|of) ${who} ?: ?(?<text>.+)`, description),
  config(
    `(?:put|write|set|change) (?:an? |the )?(?:note|description|comment) (?:on|for|of) ${who} ?(?::| to) ?(?<text>.+)`,
    description,
  ),
  {
    tool: 'propose_plan',
    on: 'nothing',
    says: [
      `(?:move|migrate) (?:everything|all|(?:all )?(?:(?:the|its) )?guests) (?:off|away from|out of|from) ${aNode}${andThen}`,
      `(?:evacuate|drain) ${aNode}${andThen}`,
      `(?<then>reboot|restart|update|upgrade|shut ?down) ${aNode},? with (?:all )?(?:its|the) guests moved (?:away|off|elsewhere)(?: first)?`,
    ].map(sentence),
    inquiry: evacuated,
  },
  inGuest,
  ofGuest(
    'drill_restore',
    [
      `(?:does|do|will|would|can) (?:the )?(?:(?:newest|latest) )?${backup} (?:of|for) ${who} (?:restore|boot|be restored)`,
      `(?:test|try|prove) (?:the )?(?:(?:newest|latest) )?(?:${backup}|restore) of ${who}`,
      `(?:(?:run|start|do) (?:an? |the )?)?(?:restore )?drill (?:(?:of|for|on|with) )?${who}`,
      `can ${who} be restored`,
    ].map(sentence),
  ),
  {
    tool: 'run_replication',
    on: 'nothing',
    says: [sentence('(?:run|start) (?:the )?replication (?:job )?(?<job>\\d{3,9}-\\d{1,9})(?: now)?')],
    input: ({ words: { job } }) => ({ job }),
  },
]

/** All sentences, in the order in which they are tried. */
export const acts: readonly Act[] = [
  ...wholeActs,
  {
    tool: 'get_guest_config',
    on: 'nothing',
    says: [
      `(?:(?:what is|what's|whats|show(?: me)?|tell me|give me) )?(?:the )?(?:ip|ip address|address|ipv4)(?: address)? (?:of|for) ${who}`,
      `(?:what|which) (?:ip|ip address|address) (?:does|has) ${who}(?: have| use)?`,
      `(?:what is|what's) (?<who>its) (?:ip|ip address|address)`,
    ].map(sentence),
    inquiry: addressOf,
  },
  // Calls that run by themselves
  ofAny(
    'list_jobs',
    '(?:which|what|list|show|the|my|any|all) (?:scheduled )?jobs?(?: (?:are|do) (?:there|i have|you have|scheduled))?|what (?:runs by itself|is scheduled)',
    { takes: [] },
  ),
  {
    tool: 'cancel_job',
    on: 'nothing',
    says: [sentence('(?:cancel|pause|stop|delete) (?:the )?job (?<name>["“]?.+?["”]?)')],
    input: ({ words }) => ({ job: unquoted(words.name) }),
  },
  ofAny('list_runbooks', '(?:which|what|list|show|the|any) runbooks?(?: are there)?', { takes: [] }),
  // Changes
  {
    tool: 'acknowledge_alert',
    on: 'nothing',
    says: [`(?:acknowledge|ack) ${alertWords}`, `mark ${alertWords} (?:as )?(?:seen|read|acknowledged)`].map(sentence),
    inquiry: ({ words }) => quieted('acknowledge', words.about ?? ''),
  },
  {
    tool: 'silence_alert',
    on: 'nothing',
    says: [
      `(?:silence|mute) ${alertWords}${forHours}`,
      `(?:be quiet|stop telling me|tell me nothing) about ${alertWords}${forHours}`,
    ].map(sentence),
    inquiry: ({ words }) => quieted('silence', words.about ?? '', hoursOf(words)),
  },
  {
    tool: 'undo',
    on: 'nothing',
    says: [
      sentence(
        '(?:undo|revert|take back)(?: (?:it|that|this))?(?: again)?|(?:take|roll|put|bring) (?:it|that|this) back(?: again)?|(?:undo|revert|take back) (?:the|your|my) (?<last>last|latest|newest) (?:change|thing|one)',
      ),
    ],
    inquiry: ({ words, ownCalls }) => undone(words.last === undefined ? ownCalls : undefined),
  },
  {
    tool: 'undo',
    on: 'nothing',
    says: [sentence('redo(?: (?:it|that|this|the change))?|make (?:it|that|the change) again')],
    inquiry: ({ ownCalls }) => undone(ownCalls, true),
  },
  {
    tool: 'list_changes',
    on: 'nothing',
    says: [
      sentence(
        '(?:what|which things?) (?:did|have) you (?:changed?|done?)\\b.*|(?:(?:show|list) )?(?:me )?(?:(?:all|the|your|my) )*changes|what can (?:be (?:undone|taken back)|you (?:undo|take back))',
      ),
    ],
    input: () => ({}),
  },
  // Snapshots
  ofGuest(
    'take_snapshot',
    `(?:(?:take|make|create) (?:(?:an?|another) )?(?:new )?snapshot (?:of|for)|snapshot) ${who}(?: ${named})?`,
    ({ guest, words, cluster }) => ({ vmid: guest.vmid, name: unquoted(words.name) || snapshotName(cluster) }),
  ),
  ofGuest(
    'rollback_snapshot',
    `(?:roll|take|bring|revert)(?: back)? ${who}(?: back)? to (?:its |the )?(?:snapshot )?(?<name>["“]?[a-z][\\w-]*["”]?)`,
    ({ guest, words }) => ({ vmid: guest.vmid, name: unquoted(words.name) }),
  ),
  ofGuest(
    'rollback_snapshot',
    [sentence(`roll back ${who}`), sentence(`roll ${who} back`)],
    ({ guest }) =>
      `To which snapshot, sir? Ask ${offer(`which snapshots does ${guest.name} have?`)}, then say “roll ${guest.name} back to” and its name.`,
  ),
  ofGuest(
    'delete_snapshot',
    `(?:delete|remove|drop) (?:the )?snapshot (?<name>["“]?[a-z][\\w-]*["”]?) (?:of|from|on) ${who}`,
    ({ guest, words }) => ({ vmid: guest.vmid, name: unquoted(words.name) }),
  ),
  ofGuest('list_snapshots', [question('snapshots?')]),
  // Configuration
  config(`give ${who} (?<amounts>\\d+ ?(?:v?cpus?|cores?|g(?:i?b)?|m(?:i?b)?)\\b.*)`, ({ words }) =>
    amountsIn(words.amounts),
  ),
  config(
    `(?:set|change|increase|raise|lower|reduce) (?:the )?(?:memory|ram) (?:of|for) ${who} to (?<amounts>\\d+ ?(?:g(?:i?b)?|m(?:i?b)?))`,
    ({ words }) => amountsIn(words.amounts),
  ),
  config(
    `(?:set|change|increase|raise|lower|reduce) (?<who>its|the|\\S+?)(?:.s)? (?:memory|ram) to (?<amounts>\\d+ ?(?:g(?:i?b)?|m(?:i?b)?))`,
    ({ words }) => amountsIn(words.amounts),
  ),
  config(
    `(?:set|change|increase|raise|lower|reduce) (?<who>its|the|\\S+?)(?:.s)? (?:cores|cpus) to (?<cores>\\d+)`,
    ({ words }) => ({ cores: Number(words.cores) }),
  ),
  config(`set (?:the )?(?:cores|cpus) (?:of|for) ${who} to (?<cores>\\d+)(?: cores)?`, ({ words }) => ({
    cores: Number(words.cores),
  })),
  config(`tag ${who} (?:as|with) (?<tag>["“]?[\\w.+-]+["”]?)`, ({ guest, words }) => ({
    tags: [...new Set([...guest.tags, unquoted(words.tag)])].join(';'),
  })),
  config(`rename ${who} (?:to|as|into) (?<name>["“]?[a-z][\\w-]*["”]?)`, ({ guest, words }) => ({
    [guest.type === 'vm' ? 'name' : 'hostname']: unquoted(words.name),
  })),
  config(`(?:start|boot) ${who} (?:at|on) (?:boot|start-?up)`, () => ({ onboot: 1 })),
  ofGuest('get_guest_config', [question('config(?:uration)?')]),
  ofGuest('get_guest_config', `how (?:many (?:cores|cpus)|much (?:memory|ram)) (?:does|has) ${who} (?:have|got)`),
  ofGuest(
    'resize_disk',
    `(?:grow|enlarge|extend|expand|resize) (?:the )?(?:disk )?(?:(?<disk>(?:scsi|virtio|sata|ide|mp)\\d+|rootfs) )?(?:of|on|for) ${who} by (?<gib>\\d+) ?g(?:i?b)?`,
    // The demo asks for the disk's name, because the gate refuses a disk that no person named.
    ({ guest: { vmid, name, type }, words: { disk, gib } }) =>
      disk === undefined
        ? `Which disk, sir? ${offer(`show the config of ${name}`)} names them; say ${offer(`grow ${type === 'ct' ? 'rootfs' : 'scsi0'} of ${name} by ${gib} GB`)}.`
        : { vmid, disk: disk.toLowerCase(), addGib: Number(gib) },
  ),
  // Backups
  ofGuest(
    'back_up_guest',
    `(?:back(?: |-)?up(?! (?:of|for)\\b)|(?:start|make|take|create|run|do) (?:(?:an?|another|the) )?(?:(?:new|usual|nightly|daily|hourly|weekly|monthly) )?${backup} (?:of|for)) ${who}${onTo}`,
    ({ guest, words, cluster }) => {
      const storage = backupStorage(cluster, guest, words.storage)
      return typeof storage === 'string' ? storage : { vmid: guest.vmid, storage: storage.name }
    },
  ),
  ofAny(
    'list_restore_proofs',
    `restore proofs?|proofs|(?:which|what) ${backup} (?:is|are|were|have been) (?:proven|tested|drilled)`,
    { takes: [] },
  ),
  ofAny('list_alerts', '(?:what |which |any |the )?(?:alerts?|alarms?)(?: (?:are|is) (?:there|firing|active|on))?', {
    takes: [],
  }),
  ofAny(
    'get_uncovered_guests',
    `(?:no|any|every|an?) ${backup} jobs?|without (?:an? )?${backup} jobs?|uncovered|not covered`,
    { takes: [] },
  ),
  {
    tool: 'restore_guest',
    on: 'guest',
    says: [
      sentence(
        `restore (?:the )?(?:(?:newest|latest|last) )?(?:${backup} of )?${who}(?: (?:to|under|as) (?:id )?(?<id>\\d{3,9}))?(?: ${named})?`,
      ),
    ],
    inquiry: restored,
  },
  ofAny('get_pbs_snapshots', 'verified|verification', { takes: ['vmid'] }),
  ofAny('get_pbs_status', `${backup} server(?:.s)?|garbage collection|prune jobs?|verify jobs?`, { takes: [] }),
  // Guests as a whole
  ofGuest(
    'clone_guest',
    `(?:clone|copy|duplicate) ${who}(?: (?:to|under|as|with id) (?:id )?(?<id>\\d{3,9}))?(?: ${named})?`,
    ({ guest, words, cluster }) =>
      words.name === undefined
        ? `What is the copy to be called, sir? Say “clone ${guest.name} as” and its name.`
        : { vmid: guest.vmid, newId: freeId(cluster, guest, words.id), name: unquoted(words.name) },
  ),
  ofGuest(
    'migrate_guest',
    `(?:move|migrate) ${who} (?:on ?to|to) (?:the )?(?:node )?(?<node>[\\w.-]+)`,
    ({ guest, words, cluster }) => {
      const node = cluster.nodes.find(({ name }) => name.toLowerCase() === words.node?.toLowerCase())
      return node === undefined
        ? `There is no node called “${words.node}”. ${places(cluster)}`
        : { vmid: guest.vmid, target: node.name }
    },
  ),
  ofGuest('migrate_guest', `(?:move|migrate) ${who}`, ({ cluster }) => `To which node, sir? ${places(cluster)}`),
  ofGuest('destroy_guest', `(?:destroy|delete|remove|erase) ${who}`, ({ guest: { vmid, name } }) => ({ vmid, name })),
  // Nodes
  ofNode('get_node_journal', question('journal|syslog|system logs?')),
  ofNode(
    'get_updates',
    question('(?:which|what|any|show|list|pending|how many|are there|wait\\w*).*\\b(?:updates?|patches)'),
  ),
  ofNode('get_node_network', question('networks?|network interfaces?|bridges?')),
  {
    tool: 'set_node_network',
    on: 'nothing',
    says: [
      sentence(
        '(?:set|change) (?:the )?(?<key>address|mtu|gateway) of (?<iface>[a-z][\\w.-]+) on (?<node>[\\w.-]+) to (?<value>[\\d.:/a-f]+)',
      ),
    ],
    input({ cluster, words: { key = '', iface, node, value } }) {
      const found = cluster.nodes.find(({ name }) => name.toLowerCase() === node?.toLowerCase())
      if (found === undefined) return `There is no node called “${node}”. ${places(cluster)}`
      return { node: found.name, iface, set: { [key.toLowerCase() === 'address' ? 'cidr' : key.toLowerCase()]: value } }
    },
  },
  ofNode('refresh_package_lists', sentence('(?:refresh|update|reload) (?:the )?package lists?(?<who>.*)')),
  ofAny(
    'get_ha_state',
    '(?:ha|high availability) (?:state|status|manage\\w*)|(?:managed by|under) ha|high availability',
    { takes: [] },
  ),
  ofAny('get_firewall', 'firewalls?', { takes: ['vmid', 'node'] }),
  ofAny('get_replication', 'replicat\\w+', { takes: ['node'] }),
  ofAny('get_task_log', 'log of (?:the )?(?:(?:last|newest|latest) )?failed task|failed task.?s? logs?', {
    takes: ['vmid', 'node'],
    input: { failed: true },
  }),
  ofAny('get_task_log', 'log of (?:the )?(?:\\w+ )?task|task.?s? logs?', { takes: ['vmid', 'node'] }),
  ofAny(
    'get_storage_health',
    '(?:disks?|drives?|ssds?|zfs|raid|pools?)\\b.*\\b(?:health\\w*|ok|okay|fine|wear\\w*|worn|dying|failing|degraded|state|scrub\\w*)|health of (?:the )?(?:disks?|drives?|pools?)|smart (?:values|state|status|data)|scrub\\w*',
    { takes: ['node'] },
  ),
]

const places = ({ nodes }: ClusterState) => `There are ${nodes.map(({ name }) => name).join(', ')}.`

export type Spoken = { act: Act; words: Said['words'] }

/** Returns the first row of the table whose pattern matches the whole text. */
export function actIn(text: string, table = acts): Spoken | undefined {
  for (const act of table)
    for (const says of act.says) {
      const found = says.exec(text)
      if (found !== null) return { act, words: { ...found.groups } }
    }
  return undefined
}
