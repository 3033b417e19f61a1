import { type Attachment, isPicture, type ToolInput } from 'protocol'
import { textsSentAlong } from './program.ts'
import type { StoredEntry } from './sessions/entries.ts'

/** The texts of a conversation by where they came from. `asked`: the arguments of the call that a result answers. */
export type Sources = {
  results: {
    toolName: string
    toolUseId: string
    text: string
    /** JARVIS composed it: what others wrote stands in it as names alone. */
    isComposed?: boolean
    asked?: ToolInput
    /** JARVIS wrote it down by itself. */
    isOwnNote?: boolean
    /** A file that the operator attached. */
    isFile?: boolean
    /** What an attached server says of a tool. */
    isDescription?: boolean
    /** The names and ids of the things that its data lists; they count where a tool of JARVIS's lists the cluster. */
    listed?: () => ReadonlySet<string>
    /** Of a page, as its tool says: the address at which it was read, and whether other sites may stand in it. */
    page?: { url: string; isMixed: boolean }
    /** Of what was recalled: what the operator said, and JARVIS did of itself, in the conversations that the text names. */
    said?: () => Iterable<string>
    /** The same of a tool's result; it counts where the tool repeats earlier conversations. */
    saidIfRecalled?: () => Iterable<string>
  }[]
  operatorTexts: string[]
  /** Pictures were read, in which nobody but the model can look for words. */
  hasPictures?: true
  /** Where a model of JARVIS's asks: what its prompt held that no stranger wrote. */
  prompt?: { toolName: typeof promptSource; toolUseId: string; text: string }[]
}

/** The name under which texts of the prompt are sources. `toolUseId` says which of them. */
export const promptSource = 'prompt'

/** The entries that tell what a person said in a conversation, and what the gate let run there. Results are none. */
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
  /** Names in it are others' words, as in any result. */
  const tellContext = (text: string | undefined, toolUseId: string) => {
    if (text !== undefined) sources.results.push({ toolName: 'cluster_state', isComposed: true, text, toolUseId })
  }
  const tellFiles = (files: readonly Attachment[] = [], toolUseId: string) => {
    for (const file of files) {
      if (isPicture(file)) sources.hasPictures = true
      else sources.results.push({ toolName: attachedFile, toolUseId, text: textOf(file.id) ?? '', isFile: true })
      // Whoever made the file named it.
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
  // What a model asked and a person chose are the model's own words, and no stranger's.
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
      // What a result said may stand in it, where that result is no longer among the entries.
      if (entry.todo !== undefined)
        sources.results.push({ toolName: 'update_plan', toolUseId: entry.messageId, text: entry.todo })
    } else if (entry.type === 'subrun' && entry.change === 'begin') {
      // The task is a model's own words, as all that a model says: neither an order nor a stranger's text.
      tellContext(entry.context, entry.toolUseId)
    } else if (entry.type === 'recalled') {
      for (const { text, name, isFromTools, isOwnNote } of entry.items) {
        // What the operator wrote down is neither an order given now nor a stranger's text.
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

/** The names and ids of the things in a result's data, and of a configuration the slots with their volumes. Free texts, such as notes and tags, are none. */
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
 * The words of the conversations that a text of the memory names, each read when its turn comes. A text that names a
 * conversation it is not of gains nothing but what was truly said in that.
 */
function* saidIn(text: string, wordsOf: (sessionId: string) => readonly string[]): Generator<string> {
  const ids = new Set(text.match(/\bses_[a-z\d]{8,64}/g) ?? [])
  for (const id of [...ids].slice(0, mostSessions)) yield* wordsOf(id)
}

/**
 * What the operator wrote in a conversation, and the calls that the gate let run there or a person approved without any
 * of their words having come from a tool.
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
    // Nobody looked where the words of a green call came from.
    const isLetRun = entry.type === 'tool_use' && entry.tier !== 'green' && !tainted.has(entry.toolUseId)
    return isLetRun ? `${entry.toolName} ${Object.values(entry.toolInput).map(written).join('\n')}` : []
  })
}

/** What an operator wrote with a decision: a note, and the call to make instead. */
const wordsWith = ({ note, alternative }: Extract<StoredEntry, { type: 'confirm_resolved' }>): string[] => [
  ...(note === undefined ? [] : [note]),
  ...(alternative === undefined
    ? []
    : [`${alternative.toolName} ${Object.values(alternative.toolInput).map(written).join('\n')}`]),
]

/** What a person typed to a model's question. An option is the model's text, and what a server asked for is told to the server alone. */
const typedIn = ({ server, answers = [], said }: Extract<StoredEntry, { type: 'question_resolved' }>): string[] =>
  server !== undefined ? [] : [...(said === undefined ? [] : [said]), ...answers.flatMap(({ text }) => text ?? [])]

const written = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** Only a person approves or denies; the notes of the rest are JARVIS's. */
const isOperators = (decision: string) => decision === 'approved' || decision === 'denied'
