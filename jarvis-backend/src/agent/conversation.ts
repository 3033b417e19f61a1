import { type Attachment, isPicture, type Recalled, type ToolCall } from 'protocol'
import { callIdOf, callsIn, type Settling, settles } from 'protocol/settles'
import { attachmentWords } from './attachments.ts'
import { asData, withoutMarks } from './context/as-data.ts'
import { asFolded } from './context/as-folded.ts'
import { cutResult, putAway, shortResult } from './context/cut-result.ts'
import { type Folds, foldsIn, isGiven } from './context/folds.ts'
import { isSkillText } from './loaded-skills.ts'
import type { Message, ModelImage, ToolResult } from './model.ts'
import type { Said } from './program.ts'
import { type IsRefused, refusedIn } from './refused-pictures.ts'
import { createRepeats, equalTurnsTold, type RepeatsOf } from './repeats.ts'
import { taskWords } from './run/child.ts'
import type { Given, StoredEntry } from './sessions/entries.ts'
import { endedWords, endersIn, speakerWords } from './speaker.ts'
import { isMute, unmadeTold } from './unmade.ts'

/**
 * Converts a transcript to messages for a model. The result is valid for every provider, even if calls were aborted, denied or cut off: each call is
 * answered in the message right after it, and a call without an outcome is answered as unknown. Folded entries are left out, and long results are
 * cut.
 * @param pictureOf returns the picture with this id, from a tool or attached; of earlier runs only the newest pictures are asked for
 * @param textOf returns the text of the attached file with this id
 */
export function toMessages(
  entries: readonly StoredEntry[],
  pictureOf: (id: string) => ModelImage | undefined = () => undefined,
  textOf: (id: string) => string | undefined = () => undefined,
): Message[] {
  return new Conversation(entries, pictureOf, textOf).messages()
}

/** Builds the messages for a model: takes the entries of a transcript in order. */
class Conversation {
  readonly #entries: readonly StoredEntry[]
  readonly #pictureOf: (id: string) => ModelImage | undefined
  readonly #textOf: (id: string) => string | undefined
  readonly #messages: Message[] = []
  readonly #folds: Folds
  readonly #isRefused: IsRefused
  /** The results that are neither folded nor replaced by their summaries. */
  readonly #results: readonly Result[]
  readonly #outcomes: ReadonlyMap<string, Outcome>
  /** Sentences that say which person answered or denied a call, by the call’s id. */
  readonly #enders: ReadonlyMap<string, string>
  /** Ids of the pictures that the model gets. */
  readonly #shown: ReadonlySet<string>
  readonly #repeats: RepeatsOf
  /** True if the last turn was interrupted, so that the model must be asked to go on. */
  #isBrokenOff = false

  constructor(
    entries: readonly StoredEntry[],
    pictureOf: (id: string) => ModelImage | undefined,
    textOf: (id: string) => string | undefined,
  ) {
    this.#entries = entries
    this.#pictureOf = pictureOf
    this.#textOf = textOf
    this.#folds = foldsIn(entries)
    this.#isRefused = refusedIn(entries)
    this.#enders = endersIn(entries)
    this.#outcomes = outcomesOf(entries, this.#enders, this.#folds.resultsTo)
    const { fold, resultsTo } = this.#folds
    this.#results = entries.flatMap((entry) =>
      entry.type === 'tool_result' && entry.seq > resultsTo && isGiven(entry, fold) ? [entry] : [],
    )
    this.#shown = imagesShown(
      picturesIn(entries, this.#results, { fold, isRefused: this.#isRefused }),
      entries.at(-1)?.runId,
    )
    this.#repeats = createRepeats(entries)
  }

  messages(): Message[] {
    const { fold } = this.#folds
    for (const entry of this.#entries) {
      if (isGiven(entry, fold)) this.#take(entry)
      // Calls before the fold also count as repeats of calls after it.
      else if (entry.type === 'assistant') this.#repeats(entry.runId, callsIn(entry))
    }
    // Providers want a user message first, and a model continues a reply only if a user message asks for it.
    if (this.#isBrokenOff) this.#tell(goOn)
    const messages = this.#messages
    if (fold !== undefined) return behindFold(messages, asData('earlier', asFolded(fold)))
    return messages[0]?.role === 'assistant' ? messages.slice(1) : messages
  }

  #take(entry: StoredEntry): void {
    if (entry.type === 'user') this.#takeMessage(entry)
    else if (entry.type === 'subrun') {
      if (entry.change === 'begin') this.#tell(taskWords(entry), entry.context)
    } else if (entry.type === 'recalled') this.#tell('', asMemory(entry.items))
    else if (entry.type === 'skill') this.#tell('', entry.text)
    else if (entry.type === 'assistant' && entry.madeBy !== 'client' && entry.insteadOf === undefined)
      this.#takeTurn(entry)
    else if (entry.type === 'stuck' || (entry.type === 'budget' && entry.what === 'stopped'))
      this.#tell(`[JARVIS: ${entry.text} ${lastAnswer}]`)
    else if (entry.type === 'reconciled') this.#tell(`[JARVIS found out later, of ${entry.toolName}: ${entry.text}]`)
  }

  #takeMessage(entry: StoredEntry & { type: 'user' }): void {
    const { seq, text, speaker, attachments = [], before = [], after = [] } = entry
    for (const said of before) this.#repeat(said, seq, before)
    const context = entry.todo === undefined ? entry.context : joined(entry.context ?? '', entry.todo)
    this.#tellWith(attachments, { said: text, seq, context, speaker })
    for (const said of after) this.#repeat(said, seq, after)
    this.#isBrokenOff = false
  }

  #takeTurn(entry: StoredEntry & { type: 'assistant' }): void {
    if (this.#isBrokenOff) this.#tell(goOn)
    if (entry.madeBy === 'jarvis' && this.#messages.at(-1)?.role === 'assistant') this.#tell(byItself)
    this.#isBrokenOff = entry.stopReason === 'interrupted' && entry.content.length > 0
    // An empty turn is left out, so that the model gets the same request again. If JARVIS added a sentence at the end of a turn, that sentence is
    // not the model’s and is removed.
    const content = isMute(entry) ? [] : entry.unmade === undefined ? entry.content : entry.content.slice(0, -1)
    if (content.length > 0)
      this.#messages.push({
        role: 'assistant',
        content,
        model: entry.model,
        suggestions: entry.suggestions,
        ...(entry.isAsked && { isAsked: entry.isAsked }),
      })
    if (entry.unmade !== undefined) this.#tell(unmadeTold(entry.unmade))
    const calls = callsIn(entry)
    if (calls.length === 0) return
    const said = endedWords(calls.flatMap(({ toolUseId }) => this.#enders.get(toolUseId) ?? []))
    this.#messages.push({
      role: 'user',
      results: calls.map((call) => this.#withImages(toResult(call, this.#outcomes.get(call.toolUseId)), call)),
      text: joined(said, this.#repeats(entry.runId, calls).equal === equalTurnsTold ? again : ''),
    })
  }

  /** Adds a text for the model. Consecutive texts are joined in one message, after its results. */
  #tell(text: string, context?: string, images: readonly ModelImage[] = []): void {
    const messages = this.#messages
    const last = messages.at(-1)
    if (last?.role !== 'user') {
      messages.push({
        role: 'user',
        results: [],
        text,
        context,
        ...(images.length > 0 && { images }),
      })
      return
    }
    const pictures = [...(last.images ?? []), ...images]
    const contexts = joined(text === '' ? (last.context ?? '') : '', context ?? '')
    messages[messages.length - 1] = {
      ...last,
      text: joined(last.text, text),
      ...(contexts !== '' && { context: contexts }),
      ...(pictures.length > 0 && { images: pictures }),
    }
  }

  /** Adds the text of a person or a program, preceded by texts about the files attached to the message. */
  #tellWith(
    files: readonly Attachment[],
    { said, seq, context, speaker }: { said: string; seq: number; context?: string; speaker?: Given['speaker'] },
  ): void {
    const isAway = (file: Attachment) =>
      isPicture(file) ? !this.#shown.has(file.id) || this.#isRefused(file.id, seq) : seq <= this.#folds.resultsTo
    const words = files.map((file) =>
      attachmentWords(file, this.#textOf(file.id), {
        isAway: isAway(file),
        isRefused: isPicture(file) && this.#isRefused(file.id, seq),
      }),
    )
    const images = files.flatMap((file) => (isPicture(file) && !isAway(file) ? this.#imageOf(file.id) : []))
    const all = speaker === undefined ? [...words, said] : [speakerWords(speaker), ...words, withoutMarks(said)]
    this.#tell(all.join('\n\n'), context, images)
  }

  /**
   * Adds one message of the history that a program sent along. A result of a call is added with its call. A result of a call from JARVIS’s own
   * transcript is added with that call.
   */
  #repeat(said: Said, seq: number, all: readonly Said[]): void {
    if (said.role === 'user') this.#tellWith(said.attachments ?? [], { said: said.text, seq })
    if (said.role !== 'assistant') return
    const calls = (said.calls ?? []).map(({ id, ...call }): ToolCall => ({ type: 'tool_call', toolUseId: id, ...call }))
    const words = said.text === '' ? [] : [{ type: 'text' as const, text: said.text }]
    if (words.length + calls.length === 0) return
    if (this.#messages.at(-1)?.role === 'assistant') this.#tell('')
    this.#messages.push({ role: 'assistant', content: [...words, ...calls] })
    if (calls.length === 0) return
    const texts = new Map(all.flatMap((one) => (one.role === 'tool' ? [[one.callId, one.text]] : [])))
    const answers = calls.map((call) => {
      const text = texts.get(call.toolUseId)
      return toResult(call, text === undefined ? undefined : { text: cutResult(text, call.toolUseId), isError: false })
    })
    this.#messages.push({ role: 'user', results: answers, text: '' })
  }

  #withImages(result: ToolResult, { toolUseId }: ToolCall): ToolResult {
    const current = this.#entries.at(-1)?.runId
    const { images: all = [], runId, seq = 0 } = this.#results.find((entry) => entry.toolUseId === toolUseId) ?? {}
    const images = all.filter(({ id }) => !this.#isRefused(id, seq))
    const seen = images.flatMap(({ id }) => (this.#shown.has(id) ? this.#imageOf(id) : []))
    const isFull = runId === current && images.some(({ id }) => !this.#shown.has(id))
    const unseen = [...(images.length < all.length ? [refusedPicture] : []), ...(isFull ? [noRoom] : [])]
    return {
      ...result,
      text: [result.text, ...unseen].join('\n'),
      ...(seen.length > 0 && { images: seen }),
    }
  }

  #imageOf(id: string): ModelImage[] {
    const picture = this.#pictureOf(id)
    return picture === undefined ? [] : [{ ...picture, id }]
  }
}

/**
 * Returns the outcomes of all calls by the call’s id. If a person’s name is told in a speaker block, marks of such a block are removed from the
 * outcome’s text, so that the text cannot imitate the block.
 */
function outcomesOf(
  entries: readonly StoredEntry[],
  enders: ReadonlyMap<string, string>,
  resultsTo: number,
): Map<string, Outcome> {
  const settled = new Map(entries.filter(settles).map((entry) => [callIdOf(entry), entry]))
  const outcomes = new Map(
    [...settled].map(([id, entry]) => {
      const outcome = outcomeOf(entry, settled, resultsTo)
      return [id, enders.has(id) ? { ...outcome, text: withoutMarks(outcome.text) } : outcome]
    }),
  )
  for (const [id, text] of handedBack(entries)) {
    const known = settled.get(id)
    if (known?.type === 'tool_result' && known.isHandedOut)
      outcomes.set(id, { text: cutResult(text, id), isError: false })
  }
  return outcomes
}

/** Returns the results that programs sent back for calls that they ran themselves, by the call’s id. */
const handedBack = (entries: readonly StoredEntry[]): [string, string][] =>
  entries.flatMap((entry) =>
    entry.type === 'user'
      ? (entry.after ?? []).flatMap((said): [string, string][] =>
          said.role === 'tool' ? [[said.callId, said.text]] : [],
        )
      : [],
  )

/**
 * Puts the summary of the folded turns into the context of the first message. It is there even if a later message has replaced the cluster state in
 * that context.
 */
function behindFold([first, ...rest]: readonly Message[], earlier: string): Message[] {
  if (first?.role === 'user') return [{ ...first, context: joined(earlier, first.context ?? '') }, ...rest]
  return [{ role: 'user', results: [], text: '', context: earlier }, ...(first === undefined ? [] : [first]), ...rest]
}

const mostEarlierImages = 6
const mostImages = 20
/** Maximum bytes of the pictures in one request. A request to Claude may have 32 MB, in base64. */
const mostImageBytes = 15_000_000
const refusedPicture = '[Your server refused a picture of this result, so you do not see it.]'
const noRoom = '[No more pictures can be shown in this answer.]'

/**
 * Chooses the pictures that a model gets: the newest of earlier runs, and as many of the current run as fit. Pictures that the model has seen in the
 * current run stay in place, because content before its thinking must not change.
 */
function imagesShown(pictures: readonly Picture[], current: string | undefined): Set<string> {
  const given = (isCurrent: boolean) => pictures.filter(({ runId }) => (runId === current) === isCurrent)
  const shown = new Set<string>()
  let room = mostImageBytes
  for (const { id, bytes } of [...given(false).slice(-mostEarlierImages), ...given(true)]) {
    if (shown.has(id)) continue
    room -= bytes
    if (room < 0 || shown.size === mostImages) break
    shown.add(id)
  }
  return shown
}

type Result = Extract<StoredEntry, { type: 'tool_result' }>
type Picture = { id: string; bytes: number; runId: string }

/** Returns the pictures from tools and from people, in the order they arrived. */
function picturesIn(
  entries: readonly StoredEntry[],
  results: readonly Result[],
  { fold, isRefused }: { fold: Parameters<typeof isGiven>[1]; isRefused: IsRefused },
): Picture[] {
  const told = entries.flatMap((entry) => (entry.type === 'user' && isGiven(entry, fold) ? [entry] : []))
  const attached = told.map(({ seq, runId, before = [], attachments = [] }) => {
    const said = before.flatMap((one) => (one.role === 'user' && one.attachments) || [])
    return { seq, runId, images: [...said, ...attachments].filter(isPicture) }
  })
  return [...results, ...attached]
    .sort((a, b) => a.seq - b.seq)
    .flatMap(({ runId, seq, images = [] }) =>
      images.filter(({ id }) => !isRefused(id, seq)).map(({ id, bytes }) => ({ id, bytes, runId })),
    )
}

const goOn = '[JARVIS was restarted in the middle of your answer. Go on from where it broke off.]'

const again = `[JARVIS: the same call had the same outcome ${equalTurnsTold} times in a row. Made again and again, it ends this answer. Do something else, wait with wait_for, or tell the operator what is in the way.]`

const lastAnswer =
  'Answer now, in words and without tools: what you found, what is done, and what is still open. This is your last reply here.'

const byItself = '[JARVIS says and does the following by itself.]'

type Outcome = { text: string; isError: boolean }

/**
 * @param settled all outcomes by the call’s id. If the operator denied a call and made another one instead, the text includes the outcome of that
 * other call
 */
function outcomeOf(entry: Settling, settled: ReadonlyMap<string, Settling>, resultsTo: number): Outcome {
  switch (entry.type) {
    case 'tool_result': {
      const { result, summary, toolUseId, isError } = entry
      if (isSkillText(entry)) return { text: result, isError }
      const isAway = entry.seq <= resultsTo && result.length > shortResult
      return { text: isAway ? putAway(summary, toolUseId) : cutResult(result, toolUseId), isError }
    }
    case 'blocked':
      return { text: `Refused by the safety rules: ${entry.reason} Nothing was run.`, isError: true }
    case 'confirm_resolved': {
      const note = entry.note === undefined ? '' : ` Note: ${entry.note}`
      const { alternative } = entry
      const told = `${unapproved[entry.decision]}${note} Nothing was run.`
      if (alternative === undefined) return { text: told, isError: true }
      const other = settled.get(alternative.toolUseId)
      const { text } =
        other === undefined ? { text: 'its outcome is not known.' } : outcomeOf(other, settled, resultsTo)
      const call = `${alternative.toolName} ${JSON.stringify(alternative.toolInput)}`
      return { text: `${told}\nInstead the operator made this call: ${call}\nIts outcome: ${text}`, isError: true }
    }
    default:
      return entry satisfies never
  }
}

const unapproved = {
  approved: '',
  denied: 'The operator denied this. Do not ask for it again unless told to.',
  expired: 'Nobody decided in time, so it expired.',
  cancelled: 'It was withdrawn before anybody decided.',
}

const toResult = (call: ToolCall, outcome: Outcome | undefined): ToolResult => ({
  toolUseId: call.toolUseId,
  toolName: call.toolName,
  text: outcome?.text || 'Interrupted: what came of it is not known.',
  isError: outcome?.isError ?? true,
})

const joined = (first: string, second: string) =>
  first === '' ? second : second === '' ? first : `${first}\n\n${second}`

/** Formats recalled passages of the memory for the model. */
function asMemory(items: readonly Recalled[]): string {
  const passages = items.map(({ name, title, kind, firstLine, lastLine, changedAt, isFromTools, text }) => {
    const place = kind === 'session' ? `conversation "${title}"` : `${name}:${firstLine}-${lastLine}`
    const origin = isFromTools && kind !== 'session' ? ', came from a tool' : ''
    return `[${place}, ${new Date(changedAt).toISOString().slice(0, 10)}${origin}]\n${text}`
  })
  return asData('memory', passages.join('\n\n'))
}
