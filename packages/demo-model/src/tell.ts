import type { ClusterState } from 'protocol'
import { askedWords } from './asked-back.ts'
import { benchReads, benchWords } from './bench-words.ts'
import { browserReads, browserWords } from './browser.ts'
import { dockerReads, dockerWords } from './docker.ts'
import {
  attentionIn,
  backupsIn,
  type GuestFacts,
  guestsIn,
  hoursOf,
  isAttentionKnown,
  missingIn,
  nodeDetailIn,
  nodesIn,
  printed,
  staleIn,
  storagesIn,
  tasksIn,
  temperatureIn,
} from './facts.ts'
import { groups } from './inquiries/happened.ts'
import { notDone } from './inquiries/inquiry.ts'
import { mentions } from './mentions.ts'
import { offer } from './offers.ts'
import { planWords } from './plans.ts'
import type { Outcome } from './seen.ts'
import { searchWords } from './web.ts'
import { capitalized, counted, fenced, listed, plain, some, table } from './words.ts'

const mostRows = 12

/** Describes the outcomes of calls in prose. @param question the user's question, which decides what of a list is mentioned */
export function tell(outcomes: readonly Outcome[], question: string, cluster: ClusterState): string {
  const done = outcomes.filter(({ isError }) => !isError)
  const failed = outcomes.filter(({ isError }) => isError)
  const of = (...tools: string[]) => done.filter(({ toolName }) => tools.includes(toolName))
  const rest = done.filter(({ toolName }) => !told.includes(toolName))
  return [
    ...of('get_cluster_status').map(({ text }) => clusterWords(text, question)),
    ...of('get_node_status').map(({ text, toolInput }) => nodeWords(String(toolInput.node), text)),
    temperatureWords(of('get_node_temperature').map(({ text }) => text)),
    guestWords(of('get_vms', 'get_containers'), question, cluster),
    ...of('get_storage').map(({ text }) => storageWords(text, question)),
    ...of('get_backups').map((outcome) => backupWords(outcome, cluster)),
    ...of('get_recent_tasks').map(({ text }) => taskWords(text)),
    ...of('execute_ssh').map(({ text, toolInput }) => commandWords(text, String(toolInput.node))),
    ...of('ask_operator').map(({ text }) => askedWords(text)),
    ...of('propose_plan').map(({ text }) => planWords(text)),
    ...of(...benchReads).map(benchWords),
    ...of('web_search').map(searchWords),
    ...of(...browserReads).map(browserWords),
    ...of(...dockerReads).map(dockerWords),
    ...rest.map(({ toolName, text }) => otherWords(toolName, text)),
    ...failed.map((outcome) => failureWords(outcome, cluster)),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

const told = [
  ...['get_cluster_status', 'get_node_status', 'get_node_temperature', 'get_vms', 'get_containers', 'get_storage'],
  ...['get_backups', 'get_recent_tasks', 'execute_ssh', 'ask_operator', 'propose_plan'],
  ...[...benchReads, 'web_search', ...browserReads, ...dockerReads],
]

function failureWords(outcome: Outcome, { guests }: ClusterState): string {
  const { toolName, toolInput, text } = outcome
  const which = toolInput.vmid ?? toolInput.service ?? toolInput.node
  const what = `${toolName}${which === undefined ? '' : ` ${which}`}`
  if (/^(?:The operator denied|Denied by|Nobody decided|It was withdrawn)/.test(text)) {
    const name = guests.find(({ vmid }) => vmid === toolInput.vmid)?.name
    return notDone(outcome, name === undefined ? what : `${toolInput.vmid} ${plain(name)}`) ?? ''
  }
  if (text.startsWith('Refused by the safety rules')) return `${what} is refused, sir. ${text}`
  return `I regret that ${what} came to nothing, sir. ${text.includes('\n') ? `\n\n${fenced(text)}` : text}`
}

function otherWords(toolName: string, text: string): string {
  // Ids of changes are removed, because only tools need them.
  const [first = '', ...rest] = text.replace(/^tu_\w+, /gm, '').split('\n')
  if (rest.length === 0) return reads.test(toolName) ? text : `Very good, sir. ${text}`
  if (!lists.test(toolName)) return `${capitalized(toolName)} says:\n\n${fenced(text)}`
  const row = (line: string) => (/[.:]$/.test(line) && !/, /.test(line) ? `\n${plain(line)}\n` : `- ${plain(line)}`)
  return [plain(first), '', ...rest.map(row)]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
const reads = /^(?:get_|list_|memory_(?:search|get)$)/
/** Tools whose output lines are sentences. Lines of logs and configurations are kept as columns. */
const lists = /^(?:list_|get_(?:storage_health|uncovered|updates|ha_|firewall|replication|pbs_)|drill_)/

const gap = (text: string) => {
  const missing = missingIn(text)
  return missing === undefined ? '' : ` I could not read everything: ${missing}.`
}

function clusterWords(text: string, question: string): string {
  const nodes = nodesIn(text)
  const [, quorum, running] = /: (quorate|no quorum), \d+ of \d+ nodes online, (\d+ of \d+) running/.exec(text) ?? []
  if (nodes.length === 0 || quorum === undefined) return `The cluster’s state I could not read:\n\n${fenced(text)}`
  const away = nodes.filter(({ status }) => status !== 'online')
  const online =
    away.length === 0
      ? `All ${nodes.length} nodes are online`
      : `${nodes.length - away.length} of ${nodes.length} nodes are online, not ${listed(away.map(({ name }) => plain(name)))}`
  const needs = attentionIn(text)
  const base = `${online}, the cluster ${quorum === 'quorate' ? 'has its quorum' : 'has **no quorum**'}, and ${running} guests run.`
  const [hot] = nodes
    .filter(({ celsius }) => celsius !== undefined)
    .toSorted((a, b) => (b.celsius ?? 0) - (a.celsius ?? 0))
  if (needs.length === 0 && !isAttentionKnown(text))
    return `Of what I could read nothing needs a look, sir, but not everything could be read. ${base}${gap(text)}`
  if (needs.length === 0)
    return `All is well, sir. ${base}${hot === undefined ? '' : ` The warmest node is ${plain(hot.name)} with ${hot.celsius} °C.`}${gap(text)}`
  const isQuorumAsked = /quorum|quorate/i.test(question) && quorum === 'quorate'
  const opening = isQuorumAsked
    ? 'There is a quorum, sir.'
    : `Not quite, sir: ${needs.length === 1 ? 'one thing needs' : `${needs.length} things need`} a look.`
  const next = [
    needs.some((line) => line.includes('°C')) ? offer(`why is ${hot?.name ?? 'it'} hot?`) : undefined,
    staleIn(text).length > 0 ? offer('why are backups missing?') : undefined,
    needs.some((line) => / % full/.test(line)) ? offer('what grew?') : undefined,
  ].filter((line) => line !== undefined)
  return [
    opening,
    needs.map((line) => `- ${plain(line)}`).join('\n'),
    `${base}${gap(text)}`,
    next.length === 0 ? '' : `Ask ${next.join(', ')} and I look for the cause.`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function nodeWords(node: string, text: string): string {
  const { cpu, cores, load, ram, root, up, running } = nodeDetailIn(text)
  if (cpu === undefined && load === undefined && ram === undefined) return fenced(text)
  const parts = [
    cpu === undefined ? undefined : `CPU at ${cpu} %${cores === undefined ? '' : ` of ${cores} cores`}`,
    load === undefined ? undefined : `load ${load}`,
    ram === undefined ? undefined : `${ram} of memory in use`,
    root === undefined ? undefined : `root disk ${root}`,
  ].filter((part) => part !== undefined)
  const busy = load !== undefined && cores !== undefined && load > cores
  return `${plain(node)} ${up === undefined ? 'answers' : `is up for ${up}`}: ${listed(parts)}. ${running === undefined ? '' : `Guests: ${running}. `}${busy ? `More work waits than its ${cores} cores can do: ask ${offer(`what keeps ${node} busy?`)}.` : ''}`.trim()
}

function temperatureWords(texts: readonly string[]): string {
  const found = texts.flatMap((text) => temperatureIn(text) ?? []).toSorted((a, b) => b.celsius - a.celsius)
  const [first, ...others] = found
  if (first === undefined) return ''
  const hot = found.filter(({ isHot }) => isHot)
  const head = `${plain(first.node)} is at ${first.celsius} °C${first.isHot ? ', which is hot' : ', which is fine'}.`
  const rest =
    others.length === 0
      ? ''
      : ` The others: ${listed(others.map(({ node, celsius }) => `${plain(node)} ${celsius} °C`))}.`
  return `${head}${rest}${hot[0] === undefined ? '' : ` Ask ${offer(`why is ${hot[0].node} hot?`)} and I look for the cause.`}`
}

const orUnknown = (words: string | undefined) => words ?? 'unknown'

/** Shows text in an unknown format as it is: it may hold items that the demo cannot read. */
const unparsed = (outcomes: readonly { text: string }[]) => outcomes.map(({ text }) => fenced(text)).join('\n\n')

function guestWords(outcomes: readonly Outcome[], question: string, cluster: ClusterState): string {
  if (outcomes.length === 0) return ''
  const guests = outcomes.flatMap(({ text }) => guestsIn(text)).toSorted((a, b) => a.vmid - b.vmid)
  const missing = [...new Set(outcomes.map(({ text }) => gap(text)))].join('')
  const named = mentions(question, cluster).guests
  const asked = guests.filter(({ vmid }) => named.some((guest) => guest.vmid === vmid))
  if (asked.length > 0) return `${asked.map(guestSentence).join('\n\n')}${missing}`
  const place = [
    ...new Set(outcomes.flatMap(({ toolInput }) => (toolInput.node === undefined ? [] : [String(toolInput.node)]))),
  ]
  const where = place.length === 0 ? '' : ` on ${listed(place.map(plain))}`
  if (guests.length === 0)
    return outcomes.every(({ text }) => text.startsWith('0 '))
      ? `There are none${where}, sir.${missing}`
      : unparsed(outcomes)
  const ranking = rankings.find(({ pattern }) => pattern.test(question.toLowerCase()))
  const isRanked =
    ranking !== undefined && !/\b(?:list|which|what) (?:is|are|runs)?\s*(?:running|stopped)\b/i.test(question)
  if (isRanked) return `${ranked(guests, ranking, where)}${missing}`
  const running = guests.filter(({ status }) => status === 'running').length
  const off = guests.filter(({ status }) => status !== 'running')
  const words =
    off.length === guests.length
      ? `${counted(off.length, 'guest')}${where} ${off.length === 1 ? 'does' : 'do'} not run:`
      : off.length === 0
        ? `${counted(running, 'guest')} ${running === 1 ? 'runs' : 'run'}${where}:`
        : `${running} of ${guests.length} guests${where} run; ${listed(off.map(({ vmid, name, status }) => `${vmid} ${plain(name)} is ${status}`))}.`
  return `${words}\n\n${table(
    ['Guest', 'Node', 'State', 'CPU:', 'Memory:'],
    guests.map(({ vmid, name, node, status, cpu, ram }) => [
      `${vmid} ${plain(name)}`,
      plain(node),
      status,
      cpu === undefined ? '-' : `${cpu} %`,
      status === 'running' ? orUnknown(ram) : '-',
    ]),
  )}${missing}`
}

function guestSentence({
  vmid,
  name,
  type,
  node,
  status,
  cpu,
  cores,
  ram,
  ramPercent,
  diskPercent,
  up,
  backup,
}: GuestFacts) {
  const kind = type === 'vm' ? 'VM' : 'container'
  const saved = backup === undefined ? 'No backup of it is known' : `Its newest backup is ${backup} old`
  if (status !== 'running') return `${vmid} ${plain(name)}, a ${kind} on ${plain(node)}, is ${status}. ${saved}.`
  const busy = (cpu ?? 0) >= 80 ? ` That is a lot of CPU: ask ${offer(`why does ${vmid} use so much CPU?`)}.` : ''
  return `${vmid} ${plain(name)}, a ${kind} on ${plain(node)}, runs${up === undefined ? '' : ` for ${up}`}: CPU ${cpu ?? 'unknown'} % of ${cores ?? 'its'} cores, memory ${orUnknown(ram)}${ramPercent === undefined ? '' : ` (${ramPercent} %)`}${diskPercent === undefined ? '' : `, disk ${diskPercent} % full`}. ${saved}.${busy}`
}

type Ranking = {
  pattern: RegExp
  noun: string
  value(guest: GuestFacts): number | undefined
  shown(guest: GuestFacts): string
}
const rankings: Ranking[] = [
  {
    pattern: /\b(?:memory|ram)\b/,
    noun: 'memory',
    value: ({ ramGib }) => ramGib,
    shown: ({ ram, ramPercent }) => `${orUnknown(ram)} (${ramPercent} %)`,
  },
  {
    pattern: /\b(?:cpu|load|busy|busiest|heaviest|cores|processor|slow|hungry|hungriest)\b/,
    noun: 'CPU',
    value: ({ cpu, cores }) => (cpu === undefined || cores === undefined ? undefined : cpu * cores),
    shown: ({ cpu, cores }) => `${cpu} % of ${cores}`,
  },
]

function ranked(guests: readonly GuestFacts[], { noun, value, shown }: Ranking, where: string): string {
  const order = guests
    .filter((guest) => value(guest) !== undefined && guest.status === 'running')
    .toSorted((a, b) => (value(b) ?? 0) - (value(a) ?? 0))
  const [first, ...others] = order.slice(0, 6)
  if (first === undefined) return `No guest${where} runs, so none uses any ${noun}.`
  return `${first.vmid} ${plain(first.name)} uses the most ${noun}${where}: ${shown(first)}${noun === 'CPU' ? ' cores' : ''}. After it:\n\n${table(
    ['Guest', 'Node', `${capitalized(noun)}:`],
    others.map((guest) => [`${guest.vmid} ${plain(guest.name)}`, plain(guest.node), shown(guest)]),
  )}`
}

function storageWords(text: string, question: string): string {
  const all = storagesIn(text)
  const named = all.filter(({ name }) => question.toLowerCase().includes(name.toLowerCase()))
  const shown = named.length > 0 ? named : all
  if (shown.length === 0) return text.startsWith('0 ') ? `There is no storage, sir.${gap(text)}` : fenced(text)
  const away = shown.filter(({ isReachable }) => !isReachable)
  const [fullest] = shown.filter(({ isReachable }) => isReachable).toSorted((a, b) => b.percent - a.percent)
  const words = [
    fullest === undefined
      ? ''
      : `${plain(fullest.name)} is ${shown.length > 1 ? 'the fullest, with' : ''} ${fullest.percent} % ${shown.length > 1 ? 'used' : 'full'}: ${fullest.used} of ${fullest.total}.`,
    away.length === 0
      ? ''
      : `${listed(away.map(({ name }) => plain(name)))} ${away.length === 1 ? 'is' : 'are'} not reachable.`,
    fullest !== undefined && fullest.percent >= 85
      ? `Ask ${offer(`what fills ${fullest.name}?`)} and I look into it.`
      : '',
  ].filter((part) => part !== '')
  const rows = shown.map(({ name, place, used, total, percent, isReachable }) => [
    plain(name),
    place.replace(/^on /, ''),
    `${used} of ${total}`,
    `${percent} %${isReachable ? '' : ', last known'}`,
  ])
  const list = shown.length > 1 ? `\n\n${table(['Storage', 'Where', 'Used:', 'Full:'], rows)}` : ''
  return `${words.join(' ').replace(/ {2,}/g, ' ')}${gap(text)}${list}`
}

function backupWords({ text, toolInput }: Outcome, cluster: ClusterState): string {
  const { vmid } = toolInput
  if (vmid !== undefined) {
    const name = cluster.guests.find((guest) => guest.vmid === vmid)?.name
    const who = `${vmid}${name === undefined ? '' : ` ${plain(name)}`}`
    const rows = text.split('\n').flatMap((line) => {
      const [, age, storage, size] = /^(.+?) ago on ([^\s,]+), ([^,]+),/.exec(line) ?? []
      return age === undefined || storage === undefined || size === undefined ? [] : [{ age, storage, size }]
    })
    const [newest] = rows
    if (newest === undefined) {
      const known = backupsIn(text)[0]?.age
      return `Of ${who} no backup can be read now${known === undefined ? '' : `; the newest known is ${known} old`}.${gap(text)}`
    }
    return `${who} was last backed up ${newest.age} ago, to ${plain(newest.storage)} (${newest.size}).${
      rows.length === 1
        ? ''
        : ` ${rows.length} are kept:\n\n${table(
            ['Age:', 'Storage', 'Size:'],
            rows.slice(0, mostRows).map(({ age, storage, size }) => [age, plain(storage), size]),
          )}`
    }${gap(text)}`
  }
  if (backupsIn(text).length === 0) return fenced(text)
  const all = backupsIn(text).toSorted((a, b) => hoursOf(b.age ?? '') - hoursOf(a.age ?? ''))
  const never = all.filter(({ hasNone }) => hasNone)
  const open = all.filter(({ age, hasNone }) => age === undefined && !hasNone)
  const unreadable = all.filter(({ age, storage }) => age !== undefined && storage === undefined)
  const readable = all.filter(({ storage }) => storage !== undefined)
  const name = (guest: { vmid: number; name: string }) => `${guest.vmid} ${plain(guest.name)}`
  // The count may follow a line about what could not be read.
  const count = /^(\d+) backups?\b/m.exec(text)?.[1] ?? 'An unknown number of'
  const ask = unreadable.length > 0 ? ` Ask ${offer('why are backups missing?')} and I look for the cause.` : ''
  return [
    `${count} backups can be read now, of ${counted(readable.length, 'guest')}.${unreadable.length === 0 ? '' : ` Of ${unreadable.length} more the newest known cannot be read: ${some(unreadable.map(name), mostRows)}.`}${never.length === 0 ? '' : ` None is known of ${some(never.map(name), mostRows)}.`}${open.length === 0 ? '' : ` Whether there is one is not known of ${some(open.map(name), mostRows)}.`}${gap(text)}${ask}`,
    readable.length === 0
      ? ''
      : table(
          ['Guest', 'Newest:', 'Storage'],
          readable.map((guest) => [name(guest), `${guest.age} old`, plain(guest.storage ?? '')]),
        ),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function taskWords(text: string): string {
  const tasks = tasksIn(text)
  const failed = tasks.filter(({ isFailed }) => isFailed)
  if (tasks.length === 0) return text.startsWith('0 ') ? `There are no tasks.${gap(text)}` : fenced(text)
  const head = `Of the newest ${counted(tasks.length, 'task')} ${failed.length === 0 ? 'none failed' : `${failed.length} failed`}:`
  return `${head}\n\n${groups(tasks)
    .map((line) => `- ${line}`)
    .join('\n')}${gap(text)}`
}

function commandWords(text: string, node: string): string {
  const output = printed(text)
  if (output !== undefined) return `${plain(node)} answers:\n\n${fenced(output)}`
  return /^Exit code 0\.$/.test(text)
    ? `Done on ${plain(node)}; it printed nothing.`
    : `${plain(node)} answers:\n\n${fenced(text)}`
}
