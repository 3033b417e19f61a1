import type { ClusterState } from 'protocol'
import { missingBackups } from './inquiries/backups.ts'
import { fillsStorage } from './inquiries/fills.ts'
import { failedTasks, happened, happenedTo } from './inquiries/happened.ts'
import type { Inquiry } from './inquiries/inquiry.ts'
import { strainOn } from './inquiries/strain.ts'
import { mentions } from './mentions.ts'
import type { Focus } from './questions.ts'

const why =
  /\b(?:why|how come|cause[sd]?|reasons?|explain|what (?:makes|keeps|is (?:heating|wrong))|what's (?:wrong|heating)|wrong with|find out|figure out|fix|solve|repair|mend|investigate|diagnose|debug|troubleshoot|look into|sort (?:it|that|this)? ?out|do something|help with|take care)\b/
/** Matches complaints that ask for a cause: `pve is slow`. */
const complaint =
  /^\W*(?:(?:my|the|our|node)\s+)?[\w.-]+ (?:is|runs|seems|feels|gets|looks|has been) (?:(?:very|so|too|really|quite|running|a bit|always|pretty)\s+)*(?:hot|warm|slow|sluggish|laggy|loud|noisy|busy|overheating|burning)\b/
const everything =
  /\b(?:fix|solve|repair|sort|take care|clean)\b.*\b(?:it|everything|all|things|that|them|problems?|issues?|what you can|out)\b|\bwhat (?:should|can|must) (?:i|we) (?:do|fix)\b/
const heat =
  /\b(?:hot|hotter|warm|heat\w*|temperatures?|temps?|overheat\w*|fans?|loud|noisy|boiling|burning|°c|degrees)\b|°/
const load = /\b(?:cpu|load|busy|slow|sluggish|lagging|laggy|processor|stressed|maxed)\b/
const backup = /\bback(?:ed)?[- ]?ups?\b|\bvzdump\b|\b(?:data|files|photos|pictures)\b.*\b(?:safe|protected|secure)\b/
const lacking =
  /\b(?:missing|miss|fail(?:s|ed|ing|ure|ures)?|lack|without|not (?:there|working|made)|stale|outdated|too old|no fresh|last night|overdue|gone wrong|went wrong|not backed)\b/
/** Matches words that ask for a judgement: `are my backups ok?` */
const judged = /\b(?:ok|okay|fine|good|safe|fresh|complete|work\w*|alright|current|healthy|up to date)\b/
const past =
  /\b(?:what(?:'s| has| have| is)? (?:happened|happening|changed|new|went on|been going on|going on)|while i (?:slept|was)|overnight|what did i miss|anything (?:new|happen\w*)|last (?:\d+ )?(?:hours?|days?|night|week)|today|yesterday|this (?:morning|week)|recent(?:ly)?)\b/
const growth =
  /\b(?:grew|grow(?:s|ing|n)?|fill(?:s|ed|ing)?|eat(?:s|ing)? up|takes? up|full|fullest|space|large|largest)\b/

/** Finds questions that take several steps, in the order asked. @param text in lower case */
export function inquiriesInto(text: string, cluster: ClusterState, focus: Focus): Inquiry[] {
  const found = mentions(text, cluster)
  const isPronoun = found.guests.length + found.nodes.length === 0 && found.pronoun !== undefined
  const guests = isPronoun ? focus.guests : found.guests
  const nodes = [...(isPronoun ? focus.nodes : found.nodes.map(({ name }) => name)), ...guests.map(({ node }) => node)]
  const storage = cluster.storages.find(({ name }) => text.includes(name.toLowerCase()))
  const isWhy = why.test(text) || complaint.test(text)
  const inquiries: Inquiry[] = []

  const [, failedType] = /\bwhy did ([a-z]+) fail\b/.exec(text) ?? []
  if (failedType !== undefined && !backup.test(failedType)) return [failedTasks(failedType, nodes[0])]
  const isReach = /\b(?:not reachable|unreachable|reach|offline|away|down|inactive)\b/.test(text)
  if (storage !== undefined && isReach)
    return [storage.type === 'pbs' ? missingBackups({ mayAct: isWhy }) : fillsStorage(storage.name)]

  if (
    isWhy &&
    everything.test(text) &&
    !heat.test(text) &&
    !backup.test(text) &&
    !load.test(text) &&
    nodes.length === 0
  )
    return [...hottest(cluster).map(strainOn), missingBackups({ mayAct: true })]
  const isStrain =
    (heat.test(text) ||
      (load.test(text) &&
        (guests.length + nodes.length > 0 || /\b(?:cluster|everything|homelab|servers?|all|it)\b/.test(text)))) &&
    isWhy
  if (isStrain) inquiries.push(...(nodes.length > 0 ? [...new Set(nodes)] : hottest(cluster)).map(strainOn))
  if (backup.test(text) && (guests.length === 0 || isWhy) && (isWhy || lacking.test(text) || judged.test(text)))
    inquiries.push(missingBackups({ mayAct: isWhy }))
  if (inquiries.length > 0) return inquiries
  if (nodes.length > 0 && guests.length === 0 && /\b(?:wrong|troubles?|problems?)\b/.test(text) && isWhy)
    return [...new Set(nodes)].map(strainOn)

  if (storage !== undefined && growth.test(text)) return [fillsStorage(storage.name)]
  if (/\bwhat(?:'s| is| has)? (?:grew|grown|growing|fill\w*)\b/.test(text) && nodes.length === 0)
    return [fillsStorage()]
  const [node] = nodes
  if (node !== undefined && guests.length === 0 && /\bhappen(?:ed|s|ing)?\b/.test(text)) return [happenedTo(node)]
  if (guests.length + nodes.length === 0 && past.test(text) && !/\btasks?\b/.test(text))
    return [happened(hoursIn(text))]
  return []
}

const hottest = ({ nodes }: ClusterState): string[] =>
  nodes
    .filter(({ status }) => status === 'online')
    .toSorted((a, b) => (b.temperatureC ?? 0) - (a.temperatureC ?? 0))
    .slice(0, 1)
    .map(({ name }) => name)

function hoursIn(text: string): number {
  const [, count = '1', unit] = /\blast (\d+)? ?(hour|day|night|week)s?\b/.exec(text) ?? []
  if (unit === 'hour') return Number(count)
  if (unit === 'day') return Number(count) * 24
  if (unit === 'week' || /\bthis week\b/.test(text)) return 7 * 24
  return /\byesterday\b/.test(text) ? 48 : /\b(?:slept|overnight|night|morning)\b/.test(text) ? 12 : 24
}
