import { type Attachment, isPicture, type ToolInput } from 'protocol'
import { textsSentAlong } from './program.ts'
import type { StoredEntry } from './sessions/entries.ts'

/** The texts of a conversation, by who wrote them. `asked`: the arguments of the call to which a result belongs. */
export type Sources = {
  results: {
    toolName: string
    toolUseId: string
    text: string
    /** True: JARVIS composed the text. Other people’s words are in it only as names. */
    isComposed?: boolean
    asked?: ToolInput
    /** True: a note that JARVIS wrote on its own initiative. */
    isOwnNote?: boolean
    /** A file that the operator attached. */
    isFile?: boolean
    /** An attached server's description of a tool. */
    isDescription?: boolean
    /** The names and ids of the things in the result’s data. Used only for JARVIS’s own tools that list the cluster. */
    listed?: () => ReadonlySet<string>
    /** For a web page: the URL from which it was read. `isMixed`: the page may contain texts of other sites. */
    page?: { url: string; isMixed: boolean }
    /** For a recalled text: words of the operator and calls of JARVIS, in the conversations that the text names. */
    said?: () => Iterable<string>
    /** Same as `said`, for a tool’s result. Used only for tools that repeat earlier conversations. */
    saidIfRecalled?: () => Iterable<string>
  }[]
  operatorTexts: string[]
  /** True: pictures were read. The taint check cannot read words in them; only the model can. */
  hasPictures?: true
  /** For calls of JARVIS’s models: the texts of the prompt that no stranger wrote. */
  prompt?: { toolName: typeof promptSource; toolUseId: string; text: string }[]
}

/** The name under which texts of the prompt appear as sources. `toolUseId` then names the text. */
export const promptSource = 'prompt'

/** Types of entries that hold a person’s words in a conversation, or a call that the gate allowed there. Results are not included. */
export const tellingTypes = [
  'user',
  'tool_use',
  'confirm_needed',
  'confirm_resolved',
  'blocked',
  'question_resolved',
  'subrun',
] as const satisfies readonly StoredEntry['type'][]

/** Types of entries from which sources are made. */
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

/** The call for which the sources are wanted. */
export type JudgedCall = {
  toolUseId: string
  /**
   * True for an MCP client’s call. A client has read only the results of its own calls. A model has read everything except the results of MCP
   * clients’ calls.
   */
  isClients: boolean
  /**
   * Returns the newest entries of `tellingTypes` in an earlier conversation of the operator; empty if the session is an MCP client’s or no longer
   * exists.
   */
  tellingEntries(sessionId: string): readonly StoredEntry[]
  /** The token of the program that made the call. A program’s messages count as its person’s words only for the program’s own calls. */
  token?: string | undefined
  /** Returns the text of an attached file. The person who attached it may not have written or read it. */
  textOf?: (attachmentId: string) => string | undefined
  /** True if text of this writer counts as the asker’s own words. In a shared conversation, text of a person with fewer rights does not count. */
  isOwn?: (by: string) => boolean
}

/**
 * Returns the texts that tools and the cluster had brought into a conversation before the call `toolUseId`, in order, and the operator’s words in
 * it.
 */
export function sourcesOf(
  entries: readonly StoredEntry[],
  { toolUseId, isClients, tellingEntries, token, textOf = () => undefined, isOwn = () => true }: JudgedCall,
): Sources {
  const read = new Map<string, readonly string[]>()
  /** Returns the operator's words in a conversation. They are cached, because several recalled texts may name the same conversation. */
  const wordsOf = (sessionId: string) => {
    const words = read.get(sessionId) ?? wordsIn(tellingEntries(sessionId), isOwn)
    read.set(sessionId, words)
    return words
  }
  const remembered = (text: string) => (isClients ? () => [] : () => saidIn(text, wordsOf))
  const calls = new Map<string, { toolName: string; asked: ToolInput }>()
  const prompt: Required<Sources>['prompt'] = []
  const sources: Sources = { results: [], operatorTexts: [], ...(!isClients && { prompt }) }
  /** Adds a cluster summary as a result: the names in it were chosen by others. */
  const tellContext = (text: string | undefined, toolUseId: string) => {
    if (text !== undefined) sources.results.push({ toolName: 'cluster_state', isComposed: true, text, toolUseId })
  }
  const tellFiles = (files: readonly Attachment[] = [], toolUseId: string) => {
    for (const file of files) {
      if (isPicture(file)) sources.hasPictures = true
      else sources.results.push({ toolName: attachedFile, toolUseId, text: textOf(file.id) ?? '', isFile: true })
      // The file’s name is a source too, because whoever made the file chose it.
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
  // The model wrote its own question and the option that a person chose, so neither counts as a stranger’s text.
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
      // The model’s list may repeat text from a result that is no longer among the entries.
      if (entry.todo !== undefined)
        sources.results.push({ toolName: 'update_plan', toolUseId: entry.messageId, text: entry.todo })
    } else if (entry.type === 'subrun' && entry.change === 'begin') {
      // A model wrote the child run’s task, so it is neither an order of a person nor a stranger’s text.
      tellContext(entry.context, entry.toolUseId)
    } else if (entry.type === 'recalled') {
      for (const { kind, text, name, isFromTools, isOwnNote } of entry.items) {
        // A note of the operator is not an order given now, but no stranger wrote it either.
        if (!isFromTools) prompt.push({ toolName: promptSource, toolUseId: name, text })
        else {
          const own = isOwnNote && { isOwnNote }
          // The operator's words in a recalled conversation count as the operator's.
          const said = remembered(kind === 'session' ? `${name} ${text}` : text)
          sources.results.push({ toolName: 'memory', toolUseId: name, text, said, ...own })
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

/** Fields of a result that hold the name or the id of a thing. */
const namingFields = new Set(
  'name id storage volid snapshot job upid iface pool disk target node archive namespace datastore store'.split(' '),
)

/** Matches the keys of disks, drives and network interfaces in a guest’s configuration. */
const slot = /^(?:rootfs|(?:mp|scsi|sata|ide|virtio|efidisk|tpmstate|unused|net)\d{1,2})$/

/**
 * Returns the names and ids of the things in a result’s data, and the disk and network keys of a guest’s configuration with their volumes. Free
 * text, such as notes and tags, is left out.
 */
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

/** Maximum number of conversations that are read for one text. */
const mostSessions = 20

/**
 * Yields the words of the conversations that a recalled text names; each conversation is read only when it is needed. A text may name a conversation
 * from which it does not come. That does little harm, because only words that were really said there count.
 */
function* saidIn(text: string, wordsOf: (sessionId: string) => readonly string[]): Generator<string> {
  const ids = new Set(text.match(/\bses_[a-z\d]{8,64}/g) ?? [])
  for (const id of [...ids].slice(0, mostSessions)) yield* wordsOf(id)
}

/**
 * Returns the operator’s words in a conversation, and the calls there that the gate allowed or a person approved. Calls with words that came from a
 * tool are left out.
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
    // Green calls are left out, because the gate did not check where their words came from.
    const isLetRun = entry.type === 'tool_use' && entry.tier !== 'green' && !tainted.has(entry.toolUseId)
    return isLetRun ? `${entry.toolName} ${Object.values(entry.toolInput).map(written).join('\n')}` : []
  })
}

/** Returns an operator’s own words in a decision: the note, and the alternative call. */
const wordsWith = ({ note, alternative }: Extract<StoredEntry, { type: 'confirm_resolved' }>): string[] => [
  ...(note === undefined ? [] : [note]),
  ...(alternative === undefined
    ? []
    : [`${alternative.toolName} ${Object.values(alternative.toolInput).map(written).join('\n')}`]),
]

/**
 * Returns the text that a person typed as answer to a model’s question. A chosen option is the model’s text, and an answer to a server’s question
 * goes only to that server.
 */
const typedIn = ({ server, answers = [], said }: Extract<StoredEntry, { type: 'question_resolved' }>): string[] =>
  server !== undefined ? [] : [...(said === undefined ? [] : [said]), ...answers.flatMap(({ text }) => text ?? [])]

const written = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** True for a decision of a person. JARVIS wrote the notes of all other decisions. */
const isOperators = (decision: string) => decision === 'approved' || decision === 'denied'
