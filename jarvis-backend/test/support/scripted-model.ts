import { type Content, noUsage, type ToolInput, type Usage } from 'protocol'
import { foldingSystem } from '../../src/agent/context/prose.ts'
import type { Model, ModelRequest, ModelSink, Turn } from '../../src/agent/model.ts'
import { newId } from '../../src/lib/ids.ts'

/** The behaviour of the model in one call. */
export type ScriptedTurn = (request: ModelRequest, sink: ModelSink, signal: AbortSignal) => Promise<Turn>

/** A model that plays its turns in order, and objects to one that is not in the script. Of what is folded it has nothing to say. */
export type ScriptedModel = Model & {
  requests: ModelRequest[]
  /** Turns that nobody asked for. */
  left(): number
}

export function scripted(...turns: ScriptedTurn[]): ScriptedModel {
  const left = [...turns]
  const requests: ModelRequest[] = []
  return {
    id: 'scripted/model',
    requests,
    left: () => left.length,
    generate(request, sink, signal) {
      if (request.system === foldingSystem)
        return Promise.resolve({ content: [], stopReason: 'end_turn', usage: noUsage })
      requests.push(structuredClone(request))
      const turn = left.shift()
      if (turn === undefined) throw new Error(`an unexpected turn: ${JSON.stringify(request.messages.at(-1))}`)
      return turn(request, sink, signal)
    },
  }
}

export const someUsage: Usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2 }

const speak = (sink: ModelSink, text: string) => {
  for (const word of text.split(/(?<= )/)) sink.text(word)
}

/** Answers in words. */
export const says =
  (text: string, rest: Partial<Turn> = {}): ScriptedTurn =>
  async (_request, sink) => {
    speak(sink, text)
    return { content: [{ type: 'text', text }], stopReason: 'end_turn', usage: someUsage, ...rest }
  }

export type CallOf = [toolName: string, toolInput: ToolInput]

/** Asks for tool calls, after some words where given. */
export const calls =
  (...wanted: (CallOf | string)[]): ScriptedTurn =>
  async (_request, sink) => {
    const content = wanted.map((item): Content => {
      if (typeof item === 'string') {
        speak(sink, item)
        return { type: 'text', text: item }
      }
      return { type: 'tool_call', toolUseId: newId('tu'), toolName: item[0], toolInput: item[1] }
    })
    return { content, stopReason: 'tool_use', usage: someUsage }
  }

/** Ends as told, whatever it holds. */
export const ends =
  (turn: Partial<Turn>): ScriptedTurn =>
  async (_request, sink) => {
    for (const item of turn.content ?? []) if (item.type === 'text') speak(sink, item.text)
    return { content: [], stopReason: 'end_turn', usage: noUsage, ...turn }
  }

/** Says something and then breaks. */
export const breaks =
  (error: Error, said = ''): ScriptedTurn =>
  async (_request, sink) => {
    if (said !== '') speak(sink, said)
    throw error
  }

/** Says something and then stalls until it is aborted. `aborted` resolves when that has happened. */
export function stalls(said = ''): ScriptedTurn & { aborted: Promise<void> } {
  let tell = () => {}
  const aborted = new Promise<void>((resolve) => {
    tell = resolve
  })
  const turn: ScriptedTurn = (_request, sink, signal) =>
    new Promise((_, reject) => {
      if (said !== '') speak(sink, said)
      signal.addEventListener('abort', () => {
        tell()
        reject(signal.reason)
      })
    })
  return Object.assign(turn, { aborted })
}

/** Says `said`, then goes on with `rest` when the test releases it. */
export function pauses(said: string, rest: string): ScriptedTurn & { release(): void } {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const turn: ScriptedTurn = async (_request, sink) => {
    speak(sink, said)
    await released
    speak(sink, rest)
    return { content: [{ type: 'text', text: said + rest }], stopReason: 'end_turn', usage: someUsage }
  }
  return Object.assign(turn, { release: () => release() })
}
