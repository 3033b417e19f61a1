import { type ClusterState, type Content, noUsage } from 'protocol'
import { abilities, introduction } from './answer.ts'
import { notOffered } from './areas.ts'
import { byBook } from './books.ts'
import { delegated, isHandedOver, taskIn, toldBy } from './delegation.ts'
import { type Reply, replyOf } from './inquire.ts'
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
  /** Removes the block that names the writer from a message. */
  withoutSpeaker(text: string): string
}

/** Makes a model that works by fixed rules and without network. The same messages and cluster give the same answer. */
export function demoModel(parts: DemoModelParts): DemoModel {
  return {
    async generate(request, sink, signal) {
      const { text, calls } = reply(ownWords(request, parts.withoutSpeaker), parts)
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
      return { content, stopReason: calls.length > 0 ? 'tool_use' : 'end_turn', usage: noUsage }
    },
  }
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

/** Returns the request with only the person's own words. Attachments and the writer's name are no part of the question. */
const ownWords = (request: ModelRequest, withoutSpeaker: DemoModelParts['withoutSpeaker']): ModelRequest => ({
  ...request,
  messages: request.messages.map((message) =>
    message.role === 'user'
      ? {
          ...message,
          text: withoutAttachments(withoutSpeaker(message.text)).slice(0, mostRead),
        }
      : message,
  ),
})

/** Answers a request. The introduction comes after the first answer, because the answer matters more to the reader. */
function reply(request: ModelRequest, { cluster, namingSystem }: DemoModelParts): Reply {
  if (request.system === namingSystem) return { text: named(questionOf(request.messages[0])), calls: [] }
  const { text, calls } = answered(request, cluster())
  const [first] = request.messages
  const isFirst = !request.messages.some(isFinal) && !(first?.role === 'user' && isHandedOver(first.text))
  return { text: calls.length === 0 && isFirst ? `${text}\n\n${introduction}`.trim() : text, calls }
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

function answered({ messages, tools, mayCallTools }: ModelRequest, cluster: ClusterState): Reply {
  const at = messages.findLastIndex((message) => questionOf(message) !== '')
  const question = questionOf(messages[at])
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
  const plan = planned(wished ?? question, cluster, { earlier: messages.slice(0, Math.max(0, at)), tools: offered })
  if (plan.inquiries !== undefined)
    return replyOf(plan.inquiries, seen, { mayCall, isOffered: (toolName) => offered.includes(toolName) })
  if (seen.all.length > 0) return { text: tell(seen.all, corrected(question, cluster), cluster), calls: [] }
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

function planned(
  question: string,
  cluster: ClusterState,
  { earlier, tools }: { earlier: readonly Message[]; tools: readonly string[] },
): Plan {
  if (greeting.test(question)) return { calls: [], notes: [smallTalk(question, cluster, tools)] }
  const plan = understand(question, cluster, earlier)
  const isNothing = plan.calls.length + plan.notes.length + (plan.inquiries?.length ?? 0) === 0
  return isNothing ? { calls: [], notes: [smallTalk(question, cluster, tools)] } : plan
}

/** Matches a greeting to JARVIS. A message with more words is no greeting, because a guest may be called jarvis. */
const greeting =
  /^\W*(?:hello|hallo|hi|hey|good (?:morning|day|afternoon|evening)|guten (?:morgen|tag|abend)|thanks|thank you|danke|cheers)(?:[\s,]+(?:there|again|sir|jarvis|very much|a lot))*\W*$/i

function smallTalk(text: string, cluster: ClusterState, tools: readonly string[]): string {
  if (/^\W*(?:thanks|thank you|danke|cheers)\b/i.test(text)) return 'At your service, sir.'
  if (/^\W*(?:ok|okay|great|nice|good|perfect|fine|no|cancel)\W*$/i.test(text)) return 'Very good, sir.'
  const isAsked =
    /^\W*(?:hello|hallo|hi|hey|good (?:morning|day|afternoon|evening)|guten (?:morgen|tag|abend)|help|what can (?:you|i)|who are you|what are you|how (?:do|can|should) (?:i|we) (?:use|ask|start)|how (?:do|does) (?:you|this|it) work)\b/i.test(
      text,
    )
  return isAsked
    ? abilities(cluster, tools)
    : `That is beyond me, sir. I follow fixed rules; a language model would know more. ${abilities(cluster, tools)}`
}
