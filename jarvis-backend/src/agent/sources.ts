import { type Attachment, isPicture, type ToolInput } from 'protocol'
import { textsSentAlong } from './program.ts'
import type { StoredEntry } from './sessions/entries.ts'

/** The texts of a conversation by their origin. `asked`: the arguments of the call that a result answers. */
export type Sources = {
  results: {
    toolName: string
    toolUseId: string
    text: string
    /** JARVIS composed the text. Words of others are in it as names alone. */
    isComposed?: boolean
    asked?: ToolInput
    /** JARVIS wrote it down by itself. */
    isOwnNote?: boolean
    /** A file that the operator attached. */
    isFile?: boolean
    /** An attached server's description of a tool. */
    isDescription?: boolean
    /** The names and ids of the things in the result's data. They count for JARVIS's own tools that list the cluster. */
    listed?: () => ReadonlySet<string>
    /** For a web page: the address at which it was read. `isMixed`: it may hold texts of other sites. */
    page?: { url: string; isMixed: boolean }
    /** For a recalled text: what the operator said, and what JARVIS did by itself, in the conversations that the text names. */
    said?: () => Iterable<string>
    /** The same for a tool's result. It counts for tools that repeat earlier conversations. */
    saidIfRecalled?: () => Iterable<string>
  }[]
  operatorTexts: string[]
  /** Pictures were read. Only the model can read words in them. */
  hasPictures?: true
  /** For calls of a model of JARVIS's: the texts of its prompt that no stranger wrote. */
  prompt?: { toolName: typeof promptSource; toolUseId: string; text: string }[]
}

/** The name under which texts of the prompt are sources. `toolUseId` says which text. */
export const promptSource = 'prompt'

/** The entries that hold a person's words in a conversation, and the calls that the gate let run there. Results do not belong to them. */
export const tellingTypes = [
  'user',
  'tool_use',
  'confirm_needed',
  'confirm_resolved',
  'blocked',
  'question_resolved',
  'subrun',
] as const satisfies readonly StoredEntry['type'][]

/** The entries that sources are made of. */
export const sourceTypes = [
  'user',
  'recalled',
  'skill',
  'assistant',
  'tool_result',
  'reconciled',
  'confirm_resolved',
  'question',
  'question_resolved',
  'subrun',
] as const satisfies readonly StoredEntry['type'][]

/** The call whose sources are asked for. */
export type JudgedCall = {
  toolUseId: string
  /** True for an MCP client's call: a client has read its own results alone, a model all but what MCP clients asked for. */
  isClients: boolean
  /** The newest entries of `tellingTypes` in an earlier conversation of the operator; empty if it is an MCP client's or gone. */
  tellingEntries(sessionId: string): readonly StoredEntry[]
  /** The token of the program that made the call. A program's messages are its person's words in its own calls alone. */
  token?: string | undefined
  /** The text of an attached file. The person who attached it need not have written or read it. */
  textOf?: (attachmentId: string) => string | undefined
  /** True if words of this writer count as the asker's own. In a shared conversation, words of somebody who may do less do not. */
  isOwn?: (by: string) => boolean
}

/**
 * What tools and the cluster had brought into a conversation when the call `toolUseId` was made, in the order it came,
 * and what the operator had said in it.
 */
export function sourcesOf(
  entries: readonly StoredEntry[],
  { toolUseId, isClients, tellingEntries, token, textOf = () => undefined, isOwn = () => true }: JudgedCall,
): Sources {
  const read = new Map<string, readonly string[]>()
  /** Several texts of the memory may name one conversation. */
  const wordsOf = (sessionId: string) => {
    const words = read.get(sessionId) ?? wordsIn(tellingEntries(sessionId), isOwn)
    read.set(sessionId, words)
    return words
  }
  const remembered = (text: string) => (isClients ? () => [] : () => saidIn(text, wordsOf))
  const calls = new Map<string, { toolName: string; asked: ToolInput }>()
  const prompt: Required<Sources>['prompt'] = []
  const sources: Sources = { results: [], operatorTexts: [], ...(!isClients && { prompt }) }
  /** Names in the cluster summary are others' words, as in any result. */
  const tellContext = (text: string | undefined, toolUseId: string) => {
    if (text !== undefined) sources.results.push({ toolName: 'cluster_state', isComposed: true, text, toolUseId })
  }
  const tellFiles = (files: readonly Attachment[] = [], toolUseId: string) => {
    for (const file of files) {
      if (isPicture(file)) sources.hasPictures = true
      else sources.results.push({ toolName: attachedFile, toolUseId, text: textOf(file.id) ?? '', isFile: true })
      // The maker of the file chose its name.
      sources.results.push({ toolName: attachedFile, toolUseId, text: file.name, isFile: true })
    }
  }
  const tellWords = (by: string, words: readonly string[], toolUseId: string) => {
    if (isOwn(by)) sources.operatorTexts.push(...words)
    else for (const text of words) sources.results.push({ toolName: 'another_person', toolUseId, text })
  }
  let madeAt = Number.POSITIVE_INFINITY
  for (const entry of entries) {
    if (entry.type !== 'assistant' || (entry.madeBy === 'client') !== isClients) continue
    for (const item of entry.content) {
      if (item.type !== 'tool_call') continue
      calls.set(item.toolUseId, { toolName: item.toolName, asked: item.toolInput })
      if (item.toolUseId === toolUseId) madeAt = entry.seq
    }
  }
  // A model's question and the option that a person chose are the model's own words, not a stranger's.
  const asking = new Set(
    entries.flatMap((entry) => (entry.type === 'question' && entry.server === undefined ? entry.toolUseId : [])),
  )
  for (const entry of entries) {
    if (entry.seq >= madeAt) continue
    if (entry.type === 'tool_result' && asking.has(entry.toolUseId)) continue
    if (entry.type === 'tool_result' || entry.type === 'reconciled') {
      const call = calls.get(entry.toolUseId)
      const text = entry.type === 'tool_result' ? entry.result : entry.text
      if (call === undefined) continue
      const page = entry.type === 'tool_result' ? pageIn(entry.data) : undefined
      const origin = { ...call, toolUseId: entry.toolUseId, ...(page && { page }) }
      const data = entry.type === 'tool_result' ? entry.data : undefined
      sources.results.push({ ...origin, text, saidIfRecalled: remembered(text), listed: () => listedIn(data) })
    } else if (isClients) {
    } else if (entry.type === 'user') {
      if (entry.job?.isForeign)
        sources.results.push({ toolName: 'schedule', toolUseId: entry.messageId, text: entry.text })
      else if (entry.token !== undefined && entry.token !== token)
        sources.results.push({ toolName: 'program', toolUseId: entry.messageId, text: entry.text })
      else tellWords(entry.by, [entry.text], entry.messageId)
      tellFiles(entry.attachments, entry.messageId)
      for (const said of entry.before ?? []) if (said.role === 'user') tellFiles(said.attachments, entry.messageId)
      for (const text of textsSentAlong(entry))
        sources.results.push({ toolName: 'program', toolUseId: entry.messageId, text })
      tellContext(entry.context, entry.messageId)
      // The list may repeat a result that is no longer among the entries.
      if (entry.todo !== undefined)
        sources.results.push({ toolName: 'update_plan', toolUseId: entry.messageId, text: entry.todo })
    } else if (entry.type === 'subrun' && entry.change === 'begin') {
      // The task is a model's own words: neither an order nor a stranger's text.
      tellContext(entry.context, entry.toolUseId)
    } else if (entry.type === 'recalled') {
      for (const { text, name, isFromTools, isOwnNote } of entry.items) {
        // A note of the operator is neither an order given now nor a stranger's text.
        if (!isFromTools) prompt.push({ toolName: promptSource, toolUseId: name, text })
        else {
          const own = isOwnNote && { isOwnNote }
          sources.results.push({ toolName: 'memory', toolUseId: name, text, said: remembered(text), ...own })
        }
      }
    } else if (entry.type === 'skill') {
      prompt.push({ toolName: promptSource, toolUseId: entry.name, text: entry.text })
    } else if (entry.type === 'confirm_resolved' && isOperators(entry.decision)) {
      tellWords(entry.by, wordsWith(entry), entry.toolUseId)
    } else if (entry.type === 'question_resolved') {
      tellWords(entry.by, typedIn(entry), entry.toolUseId)
    }
  }
  return sources
}

function pageIn(data: unknown): { url: string; isMixed: boolean } | undefined {
  const { url, isMixed } = (data ?? {}) as { url?: unknown; isMixed?: unknown }
  return typeof url === 'string' ? { url, isMixed: isMixed === true } : undefined
}

/** Fields of results under which a thing has its name or its id. */
const namingFields = new Set(
  'name id storage volid snapshot job upid iface pool disk target node archive namespace datastore store'.split(' '),
)

/** The disks, drives and interfaces of a guest's configuration. */
const slot = /^(?:rootfs|(?:mp|scsi|sata|ide|virtio|efidisk|tpmstate|unused|net)\d{1,2})$/

/** The names and ids of the things in a result's data, and the slots of a configuration with their volumes. Free texts, such as notes and tags, are left out. */
function listedIn(data: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(data)) for (const item of data) listedIn(item, found)
  else if (typeof data === 'object' && data !== null) {
    for (const [key, value] of Object.entries(data)) {
      if (typeof value !== 'string') listedIn(value, found)
      else if (namingFields.has(key)) found.add(value)
      else if (slot.test(key)) found.add(key).add(value.split(',', 1)[0] ?? '')
    }
  }
  return found
}

/** The name under which an attached file is a source. */
const attachedFile = 'attached_file'

/** Conversations that one result may name. */
const mostSessions = 20

/**
 * The words of the conversations that a text of the memory names, each conversation read when its turn comes. A text may name a conversation that it
 * did not come from: that gives it only words that were truly said there.
 */
function* saidIn(text: string, wordsOf: (sessionId: string) => readonly string[]): Generator<string> {
  const ids = new Set(text.match(/\bses_[a-z\d]{8,64}/g) ?? [])
  for (const id of [...ids].slice(0, mostSessions)) yield* wordsOf(id)
}

/**
 * The operator's words in a conversation, and the calls that the gate let run or a person approved there, except calls with words that came from a
 * tool.
 */
function wordsIn(entries: readonly StoredEntry[], isOwn: (by: string) => boolean): string[] {
  const tainted = new Set(
    entries.flatMap((entry) =>
      (entry.type === 'confirm_needed' || entry.type === 'blocked') && entry.rule === 'taint'
        ? (('callId' in entry ? entry.callId : undefined) ?? entry.toolUseId)
        : [],
    ),
  )
  return entries.flatMap((entry) => {
    if ('by' in entry && entry.type !== 'tool_use' && entry.by !== undefined && !isOwn(entry.by)) return []
    if (entry.type === 'user') return entry.text
    if (entry.type === 'confirm_resolved' && isOperators(entry.decision)) return wordsWith(entry)
    if (entry.type === 'question_resolved') return typedIn(entry)
    // The origin of a green call's words was not judged.
    const isLetRun = entry.type === 'tool_use' && entry.tier !== 'green' && !tainted.has(entry.toolUseId)
    return isLetRun ? `${entry.toolName} ${Object.values(entry.toolInput).map(written).join('\n')}` : []
  })
}

/** The words of an operator with a decision: a note, and the call to make instead. */
const wordsWith = ({ note, alternative }: Extract<StoredEntry, { type: 'confirm_resolved' }>): string[] => [
  ...(note === undefined ? [] : [note]),
  ...(alternative === undefined
    ? []
    : [`${alternative.toolName} ${Object.values(alternative.toolInput).map(written).join('\n')}`]),
]

/** The words that a person typed to a model's question. An option is the model's text, and an answer to a server's question is told to the server alone. */
const typedIn = ({ server, answers = [], said }: Extract<StoredEntry, { type: 'question_resolved' }>): string[] =>
  server !== undefined ? [] : [...(said === undefined ? [] : [said]), ...answers.flatMap(({ text }) => text ?? [])]

const written = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** True for a decision of a person. The notes of other decisions are JARVIS's own. */
const isOperators = (decision: string) => decision === 'approved' || decision === 'denied'
