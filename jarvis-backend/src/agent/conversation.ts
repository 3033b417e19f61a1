import { type Attachment, isPicture, type Recalled, type ToolCall } from 'protocol'
import { attachmentWords } from './attachments.ts'
import { asData, withoutMarks } from './context/as-data.ts'
import { asFolded } from './context/as-folded.ts'
import { cutResult, putAway, shortResult } from './context/cut-result.ts'
import { foldsIn, isGiven } from './context/folds.ts'
import { isSkillText } from './loaded-skills.ts'
import type { Message, ModelImage, ToolResult } from './model.ts'
import type { Said } from './program.ts'
import { refusedIn } from './refused-pictures.ts'
import { createRepeats, equalTurnsTold } from './repeats.ts'
import { taskWords } from './run/child.ts'
import type { Given, StoredEntry } from './sessions/transcript-store.ts'
import { callIdOf, callsIn, type Settling, settles } from './settles.ts'
import { endedWords, endersIn, speakerWords } from './speaker.ts'
import { isMute, unmadeTold } from './unmade.ts'

/**
 * The transcript as a model is given it: valid for every provider, whatever was aborted, denied or cut off. Each call
 * is answered in the message right after it; a call without an outcome is answered as unknown. Folded entries are left out, and long
 * results are cut.
 * @param pictureOf the picture of that id, a tool's or an attached one; of earlier runs only the newest are asked for
 * @param textOf the text of the attached file of that id
 */
export function toMessages(
  entries: readonly StoredEntry[],
  pictureOf: (id: string) => ModelImage | undefined = () => undefined,
  textOf: (id: string) => string | undefined = () => undefined,
): Message[] {
  const messages: Message[] = []
  const isRefused = refusedIn(entries)
  const imageOf = (id: string): ModelImage[] => {
    const picture = pictureOf(id)
    return picture === undefined ? [] : [{ ...picture, id }]
  }
  const { fold, resultsTo } = foldsIn(entries)
  const settled = new Map(entries.filter(settles).map((entry) => [callIdOf(entry), entry]))
  const enders = endersIn(entries)
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

  /** Consecutive texts of a person share one message, after the results. */
  const tell = (text: string, context?: string, images: readonly ModelImage[] = []) => {
    const last = messages.at(-1)
    if (last?.role !== 'user') {
      messages.push({
        role: 'user',
        results: [],
        text,
        ...(context !== undefined && { context }),
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

  /** What a person, or a program for one, said with files: those before the words. */
  const tellWith = (
    files: readonly Attachment[],
    said: string,
    seq: number,
    context?: string,
    speaker?: Given['speaker'],
  ) => {
    const isAway = (file: Attachment) =>
      isPicture(file) ? !shown.has(file.id) || isRefused(file.id, seq) : seq <= resultsTo
    const words = files.map((file) =>
      attachmentWords(file, textOf(file.id), isAway(file), isPicture(file) && isRefused(file.id, seq)),
    )
    const images = files.flatMap((file) => (isPicture(file) && !isAway(file) ? imageOf(file.id) : []))
    const all = speaker === undefined ? [...words, said] : [speakerWords(speaker), ...words, withoutMarks(said)]
    tell(all.join('\n\n'), context, images)
  }

  /** What a program says was said. A result that answers a call of ours stands in that call's outcome. */
  const repeatSaid = (said: Said, seq: number, all: readonly Said[] = []) => {
    if (said.role === 'user') return tellWith(said.attachments ?? [], said.text, seq)
    if (said.role === 'tool') return undefined
    const calls = (said.calls ?? []).map(({ id, ...call }): ToolCall => ({ type: 'tool_call', toolUseId: id, ...call }))
    const words = said.text === '' ? [] : [{ type: 'text' as const, text: said.text }]
    if (words.length + calls.length === 0) return undefined
    if (messages.at(-1)?.role === 'assistant') tell('')
    messages.push({ role: 'assistant', content: [...words, ...calls] })
    if (calls.length === 0) return undefined
    const texts = new Map(all.flatMap((one) => (one.role === 'tool' ? [[one.callId, one.text]] : [])))
    const answers = calls.map((call) => {
      const text = texts.get(call.toolUseId)
      return toResult(call, text === undefined ? undefined : { text: cutResult(text, call.toolUseId), isError: false })
    })
    messages.push({ role: 'user', results: answers, text: '' })
  }

  const results = entries.flatMap((entry) =>
    entry.type === 'tool_result' && entry.seq > resultsTo && isGiven(entry, fold) ? [entry] : [],
  )
  const current = entries.at(-1)?.runId
  const shown = imagesShown(picturesIn(entries, results, fold, isRefused), current)
  const withImages = (result: ToolResult, { toolUseId }: ToolCall): ToolResult => {
    const { images: all = [], runId, seq = 0 } = results.find((entry) => entry.toolUseId === toolUseId) ?? {}
    const images = all.filter(({ id }) => !isRefused(id, seq))
    const seen = images.flatMap(({ id }) => (shown.has(id) ? imageOf(id) : []))
    const isFull = runId === current && images.some(({ id }) => !shown.has(id))
    const unseen = [...(images.length < all.length ? [refusedPicture] : []), ...(isFull ? [noRoom] : [])]
    return {
      ...result,
      text: [result.text, ...unseen].join('\n'),
      ...(seen.length > 0 && { images: seen }),
    }
  }

  const repeats = createRepeats(entries)
  let isBrokenOff = false
  for (const entry of entries) {
    if (!isGiven(entry, fold)) {
      // A call that was repeated before the fold counts after it too.
      if (entry.type === 'assistant') repeats(entry.runId, callsIn(entry))
    } else if (entry.type === 'user') {
      for (const said of entry.before ?? []) repeatSaid(said, entry.seq, entry.before)
      const context = entry.todo === undefined ? entry.context : joined(entry.context ?? '', entry.todo)
      tellWith(entry.attachments ?? [], entry.text, entry.seq, context, entry.speaker)
      for (const said of entry.after ?? []) repeatSaid(said, entry.seq, entry.after)
      isBrokenOff = false
    } else if (entry.type === 'subrun') {
      if (entry.change === 'begin') tell(taskWords(entry), entry.context)
    } else if (entry.type === 'recalled') {
      tell('', asMemory(entry.items))
    } else if (entry.type === 'skill') {
      tell('', entry.text)
    } else if (entry.type === 'assistant' && entry.madeBy !== 'client' && entry.insteadOf === undefined) {
      if (isBrokenOff) tell(goOn)
      if (entry.madeBy === 'jarvis' && messages.at(-1)?.role === 'assistant') tell(byItself)
      isBrokenOff = entry.stopReason === 'interrupted' && entry.content.length > 0
      // A turn without a word is asked for again as it was. JARVIS's own words at the end are no words of the model's.
      const content = isMute(entry) ? [] : entry.unmade === undefined ? entry.content : entry.content.slice(0, -1)
      if (content.length > 0)
        messages.push({
          role: 'assistant',
          content,
          ...(entry.model !== undefined && { model: entry.model }),
        })
      if (entry.unmade !== undefined) tell(unmadeTold(entry.unmade))
      const calls = callsIn(entry)
      if (calls.length === 0) continue
      const said = endedWords(calls.flatMap(({ toolUseId }) => enders.get(toolUseId) ?? []))
      messages.push({
        role: 'user',
        results: calls.map((call) => withImages(toResult(call, outcomes.get(call.toolUseId)), call)),
        text: joined(said, repeats(entry.runId, calls).equal === equalTurnsTold ? again : ''),
      })
    } else if (entry.type === 'stuck' || (entry.type === 'budget' && entry.what === 'stopped')) {
      tell(`[JARVIS: ${entry.text} ${lastAnswer}]`)
    } else if (entry.type === 'reconciled') {
      tell(`[JARVIS found out later, of ${entry.toolName}: ${entry.text}]`)
    }
  }
  // A conversation begins with a person, and a model goes on only when it is asked to.
  if (isBrokenOff) tell(goOn)
  if (fold !== undefined) return behindFold(messages, asData('earlier', asFolded(fold)))
  return messages[0]?.role === 'assistant' ? messages.slice(1) : messages
}

/** Results of the calls that were handed out to programs, by call. */
const handedBack = (entries: readonly StoredEntry[]): [string, string][] =>
  entries.flatMap((entry) =>
    entry.type === 'user'
      ? (entry.after ?? []).flatMap((said): [string, string][] =>
          said.role === 'tool' ? [[said.callId, said.text]] : [],
        )
      : [],
  )

/** What was folded stands in the first message, whatever state of the cluster a later message has replaced there. */
function behindFold([first, ...rest]: readonly Message[], earlier: string): Message[] {
  if (first?.role === 'user') return [{ ...first, context: joined(earlier, first.context ?? '') }, ...rest]
  return [{ role: 'user', results: [], text: '', context: earlier }, ...(first === undefined ? [] : [first]), ...rest]
}

const mostEarlierImages = 6
const mostImages = 20
/** A request to Claude may hold 32 MB, in base64. */
const mostImageBytes = 15_000_000
const refusedPicture = '[Your server refused a picture of this result, so you do not see it.]'
const noRoom = '[No more pictures can be shown in this answer.]'

/**
 * The pictures that a model gets: the newest of earlier runs, and as many of the current run as fit. Pictures that it
 * saw in the current run stay in place, because nothing before its thinking may change.
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

/** The pictures of tools and people, in the order they came. */
function picturesIn(
  entries: readonly StoredEntry[],
  results: readonly Result[],
  fold: Parameters<typeof isGiven>[1],
  isRefused: ReturnType<typeof refusedIn>,
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

/** @param settled all outcomes by call: a denial is told with the outcome of the call that the operator made instead */
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

/** Passages of the memory as the model is given them with a message. */
function asMemory(items: readonly Recalled[]): string {
  const passages = items.map(({ name, title, kind, firstLine, lastLine, changedAt, isFromTools, text }) => {
    const place = kind === 'session' ? `conversation "${title}"` : `${name}:${firstLine}-${lastLine}`
    const origin = isFromTools ? ', came from a tool' : ''
    return `[${place}, ${new Date(changedAt).toISOString().slice(0, 10)}${origin}]\n${text}`
  })
  return asData('memory', passages.join('\n\n'))
}
