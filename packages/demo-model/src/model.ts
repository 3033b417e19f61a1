import { type ClusterState, type Content, noUsage } from 'protocol'
import { abilities, introduction, welcome } from './answer.ts'
import { notOffered } from './areas.ts'
import { byBook } from './books.ts'
import { consentedTo, isDeclined } from './consent.ts'
import { delegated, isHandedOver, taskIn, toldBy } from './delegation.ts'
import { type Reply, replyOf } from './inquire.ts'
import { intentSentences, type Likeness, nearestIntents } from './intents.ts'
import { inEnglish } from './languages.ts'
import { ask, asks, offer, withOffers, withoutMarks, withParagraph } from './offers.ts'
import { planOf, wishedAsPlan } from './plans.ts'
import type { Message, ModelRequest, Sink, Turn } from './request.ts'
import { seenIn } from './seen.ts'
import { tell } from './tell.ts'
import { corrected, type Plan, understand } from './understand.ts'

const id = 'demo'

export type DemoModel = { generate(request: ModelRequest, sink: Sink, signal: AbortSignal): Promise<Turn> }

export type DemoModelParts = {
  /** The present state of the cluster. */
  cluster(): ClusterState
  newToolUseId(): string
  /** The system prompt that marks a request for a session's title. */
  namingSystem: string
  /** Returns a vector of length 1 for each text, so that sentences are compared by meaning; undefined: only words are compared. */
  vectors?: ((texts: readonly string[], signal: AbortSignal) => Promise<readonly Float32Array[]>) | undefined
  /** Removes the block that names the writer from a message. */
  withoutSpeaker(text: string): string
}

/** Makes a model that works by fixed rules and without network. The same messages and cluster give the same answer. */
export function demoModel(parts: DemoModelParts): DemoModel {
  const clean: DemoModelParts = { ...parts, cluster: () => stateWithoutMarks(parts.cluster()) }
  return {
    async generate(request, sink, signal) {
      const answer = await reply(ownWords(request, clean), clean, signal)
      const { text, suggestions, isAsked } = withOffers(answer.text)
      const { calls } = answer
      for (const [piece] of text.matchAll(/(?:\S+\s*){1,3}/g)) {
        signal.throwIfAborted()
        sink.text(piece)
        // Gives an abort the chance to take effect.
        await new Promise(setImmediate)
      }
      signal.throwIfAborted()
      const content: Content[] = [
        ...(text === '' ? [] : [{ type: 'text' as const, text }]),
        ...calls.map((call) => ({ type: 'tool_call' as const, toolUseId: parts.newToolUseId(), ...call })),
      ]
      return {
        content,
        stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
        usage: noUsage,
        ...(suggestions.length > 0 && { suggestions }),
        ...(isAsked && { isAsked }),
      }
    },
  }
}

/** Removes the marks of offers from the names in the cluster, because answers repeat names. */
function stateWithoutMarks(state: ClusterState): ClusterState {
  const text = JSON.stringify(state)
  const clean = withoutMarks(text)
  return clean === text ? state : (JSON.parse(clean) as ClusterState)
}

/** Maximum number of characters of a message that this model reads, because its patterns are made for single sentences. */
const mostRead = 1_000

/** Removes the attachments, each with the line above it, from a message. */
function withoutAttachments(text: string): string {
  const [first = '', ...others] = text.split('[Attached file ')
  const ends = '\n</attachment>'
  return others.reduce((rest, each) => {
    const begin = each.slice(each.indexOf(']\n') + 2)
    const end = begin.startsWith('<attachment>\n') ? begin.indexOf(ends) : -1
    return rest + (end === -1 ? begin : begin.slice(end + ends.length)).trimStart()
  }, first)
}

/** Returns the request with only the person's own words, in English. Attachments and the writer's name are no part of the question. */
function ownWords(request: ModelRequest, { withoutSpeaker, cluster, namingSystem }: DemoModelParts): ModelRequest {
  const state = cluster()
  const isName = (word: string) => isKnown(word, state)
  const read = (text: string) => {
    const own = withoutMarks(withoutAttachments(withoutSpeaker(text)).slice(0, mostRead))
    return request.system === namingSystem ? own : inEnglish(own, isName)
  }
  return {
    ...request,
    messages: request.messages.map((message) =>
      message.role === 'user'
        ? {
            ...message,
            text: read(message.text),
            results: message.results.map((result) => ({ ...result, text: withoutMarks(result.text) })),
          }
        : message,
    ),
  }
}

const isKnown = (word: string, { guests, nodes }: ClusterState) =>
  [...guests, ...nodes].some(({ name }) => name.toLowerCase() === word.toLowerCase())

/** Answers a request. The introduction comes after the first answer, because the answer matters more to the reader. */
async function reply(request: ModelRequest, parts: DemoModelParts, signal: AbortSignal): Promise<Reply> {
  if (request.system === parts.namingSystem) return { text: named(questionOf(request.messages[0])), calls: [] }
  const { text, calls } = await answered(request, parts, signal)
  const [first] = request.messages
  const isFirst = !request.messages.some(isFinal) && !(first?.role === 'user' && isHandedOver(first.text))
  return { text: calls.length === 0 && isFirst ? withParagraph(text, introduction) : text, calls }
}

/** Returns a title for a session: a short message as it is, otherwise its first clause, at most six words. */
function named(asked: string): string {
  const [, message = ''] = /^<message>\n([\s\S]*?)\n<\/message>/.exec(asked) ?? []
  if (message.length <= 40 && !message.includes('\n')) return message
  const [clause = ''] = message
    .replace(/^\W*(?:(?:please|jarvis|(?:can|could|would) you)\b[\s,]*)+/i, '')
    .split(/[.,;:!?\n]\s/, 1)
  const words = clause.trim().split(/\s+/).slice(0, 6).join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const isFinal = (message: Message) =>
  message.role === 'assistant' && message.model === id && message.content.every(({ type }) => type !== 'tool_call')

/** Answers the last message. `yes` means the sentence that the answer before it offered, as if the person had typed that. */
async function answered(request: ModelRequest, parts: DemoModelParts, signal: AbortSignal): Promise<Reply> {
  const { messages } = request
  const at = messages.findLastIndex((message) => questionOf(message) !== '')
  const typed = questionOf(messages[at])
  // The answer to a refusal is no courtesy, so an offer before it no longer stands.
  if (isDeclined(typed)) return { text: 'As you wish, sir. Nothing is done.', calls: [] }
  const consent = consentedTo(typed, messages.slice(0, Math.max(0, at)))
  const [first, ...others] = consent?.sentences ?? []
  if (first !== undefined && others.length > 0)
    return { text: `Which of these, sir?\n\n${asks([first, ...others])}`, calls: [] }
  if (first !== undefined && !consent?.isClear)
    return { text: `I offered ${ask(first)}, sir. Shall I do that?`, calls: [] }
  const meant = first
  const { text, calls } = await toQuestion(meant ?? typed, at, { request, parts, signal })
  const isRefused = calls.length === 0 && seenIn(messages.slice(at + 1)).all.some(({ text }) => isRefusal.test(text))
  return meant !== undefined && isRefused
    ? { text: `${text}\n\nThe rules may want it in your own words: ${offer(meant)}.`, calls }
    : { text, calls }
}

const isRefusal = /^Refused by the safety rules/

type Asked = { request: ModelRequest; parts: DemoModelParts; signal: AbortSignal }

/** @param at index of the message that asks the question */
async function toQuestion(question: string, at: number, asked: Asked): Promise<Reply> {
  const { messages, tools, mayCallTools } = asked.request
  const cluster = asked.parts.cluster()
  const offered = tools.map(({ name }) => name)
  const mayCall = (toolName: string) => mayCallTools && offered.includes(toolName)
  const handed = mayCall('delegate') ? delegated(question) : undefined
  if (handed !== undefined) {
    const came = seenIn(messages.slice(at + 1)).all
    return came.length === 0 ? { text: '', calls: handed } : { text: toldBy(came), calls: [] }
  }
  const seen = seenIn(messages.slice(at + 1))
  const book = byBook(question, cluster)
  if (book !== undefined) {
    const { skill, load, reads } = book
    if (load && mayCall('use_skill') && seen.all.length === 0)
      return { text: '', calls: [{ toolName: 'use_skill', toolInput: { name: skill } }] }
    const missing = reads.filter((call) => mayCall(call.toolName) && seen.of(call) === undefined)
    if (missing.length > 0) return { text: '', calls: missing }
    const read = seen.all.filter(({ toolName }) => toolName !== 'use_skill')
    return {
      text: `What the skill ${skill} says to look at first, sir.\n\n${tell(read, question, cluster)}`,
      calls: [],
    }
  }
  const wished = mayCall('propose_plan') ? wishedAsPlan(question) : undefined
  const { plan, read, lead } = await planned(wished ?? question, messages.slice(0, Math.max(0, at)), asked)
  const led = ({ text, calls }: Reply): Reply => ({
    text: calls.length > 0 || !lead ? text : `${lead}\n\n${text}`,
    calls,
  })
  if (plan.inquiries !== undefined)
    return led(replyOf(plan.inquiries, seen, { mayCall, isOffered: (toolName) => offered.includes(toolName) }))
  if (seen.all.length > 0) return led({ text: tell(seen.all, corrected(read, cluster), cluster), calls: [] })
  if (wished !== undefined && plan.calls.length > 1)
    return { text: plan.notes.join('\n\n'), calls: [planOf(question, plan.calls)] }
  const refused = plan.calls
    .filter((call) => !mayCall(call.toolName))
    .map(({ toolName }) => (mayCallTools ? notOffered(toolName, offered) : `I may not use ${toolName} now, sir.`))
  return {
    text: [...plan.notes, ...new Set(refused)].join('\n\n'),
    calls: plan.calls.filter((call) => mayCall(call.toolName)),
  }
}

/** Returns the person's text without JARVIS's remarks, for example about a restart. */
const questionOf = (message: Message | undefined): string =>
  message?.role === 'user'
    ? taskIn(message.text)
        .replace(/^\[JARVIS[ :].*\]$/gm, '')
        .trim()
    : ''

/** `read`: the question as it was understood. `lead`: says so, if it is not what was typed. */
type Planned = { plan: Plan; read: string; lead?: string }

const notes = (...words: string[]): Plan => ({ calls: [], notes: words })

async function planned(question: string, earlier: readonly Message[], asked: Asked): Promise<Planned> {
  const cluster = asked.parts.cluster()
  const tools = asked.request.tools.map(({ name }) => name)
  if (greeting.test(question)) return { plan: notes(greeted(question, cluster, tools)), read: question }
  const plan = understand(question, cluster, earlier)
  const isNothing = plan.calls.length + plan.notes.length + (plan.inquiries?.length ?? 0) === 0
  const talk = isNothing ? smallTalk(question, cluster, tools) : undefined
  if (talk !== undefined) return { plan: notes(talk), read: question }
  if (!isNothing && !(plan.isStrange && plan.calls.length === 0)) return { plan, read: question }

  const near = nearestIntents(question, { cluster, tools, likeness: await likenessTo(question, asked) })
  const [best] = near
  if (isNothing && best?.isRead && best.likeness >= nearEnough)
    return {
      plan: understand(best.sentence, cluster, earlier),
      read: best.sentence,
      lead: `I take that as ${offer(best.sentence)}.`,
    }
  const known = [...new Set(near.map(({ sentence }) => sentence))].slice(0, 3)
  const said = isNothing ? ['I have no sentence for that, sir, so I did nothing.'] : plan.notes
  if (known.length === 0) return { plan: notes(...said), read: question }
  return { plan: notes(`${said.join(' ')} These are the nearest that I know.\n\n${asks(known)}`), read: question }
}

/** Likeness from which a question is answered by the nearest sentence that only reads. */
const nearEnough = 0.5

/** Compares a text with sentences by meaning; undefined if no encoder is there, or it fails. */
async function likenessTo(text: string, { parts, signal }: Asked): Promise<Likeness | undefined> {
  if (parts.vectors === undefined) return undefined
  const sentences = intentSentences(text, parts.cluster())
  const vectors = await parts.vectors([text, ...sentences], signal).catch(() => undefined)
  signal.throwIfAborted()
  const [asked, ...others] = vectors ?? []
  if (asked === undefined) return undefined
  const likeness = new Map(
    sentences.map((sentence, at) => [
      sentence,
      asked.reduce((sum, value, i) => sum + value * (others[at]?.[i] ?? 0), 0),
    ]),
  )
  return (sentence) => likeness.get(sentence)
}

/** Matches a greeting to JARVIS. A message with more words is no greeting, because a guest may be called jarvis. */
const greeting =
  /^\W*(?:(?:ok|okay|fine|vale|great)[\s,.!]+(?=thank|danke|merci|gracias))?(?:hello|hallo|hi|hey|moin|servus|bonjour|salut|bonsoir|hola|buenos días|buenas(?: tardes| noches)?|good (?:morning|day|afternoon|evening)|guten (?:morgen|tag|abend)|thanks|thank you|danke|merci|gracias|cheers)(?:[\s,]+(?:there|again|sir|jarvis|very much|a lot|schön|beaucoup|muchas))*\W*$/iu

const thanks = /^\W*(?:(?:ok|okay|fine|vale|great)[\s,.!]+)?(?:thanks|thank you|danke|merci|gracias|cheers)\b/i

const greeted = (text: string, cluster: ClusterState, tools: readonly string[]): string =>
  thanks.test(text) ? 'At your service, sir.' : welcome(cluster, tools)

function smallTalk(text: string, cluster: ClusterState, tools: readonly string[]): string | undefined {
  if (/^\W*(?:great|nice|good|perfect|super)\W*$/i.test(text)) return 'Very good, sir.'
  const isAsked =
    /^\W*(?:help|what can (?:you|i)|who are you|what are you|how (?:do|can|should) (?:i|we) (?:use|ask|start)|how (?:do|does) (?:you|this|it) work)\b/i.test(
      text,
    )
  return isAsked ? abilities(cluster, tools) : undefined
}
