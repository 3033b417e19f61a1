import type { Model, ModelRequest } from '../../src/agent/model.ts'
import { type ScriptedModel, scripted } from './scripted-model.ts'

type Turns = Parameters<typeof scripted>

/** The first words that the model of a conversation reads. */
const opening = ({ messages: [first] }: ModelRequest) => (first?.role === 'user' ? first.text : '')

/** True if a child run asks. */
export const isChild = (request: ModelRequest) => opening(request).startsWith('[JARVIS: another agent asks you')

/**
 * One model for a run and its child runs, each with turns of its own. A child is known by a word of its task; children with the same
 * word share their turns in the order they come.
 */
export function family(
  parent: Turns,
  children: Record<string, Turns> = {},
): Model & Record<'of', (name: string) => ScriptedModel> {
  const own = scripted(...parent)
  const byWord = new Map(Object.entries(children).map(([word, turns]) => [word, scripted(...turns)]))
  const of = (name: string) => (name === 'parent' ? own : byWord.get(name)) ?? own
  return {
    id: 'scripted/model',
    of,
    generate(request, sink, signal) {
      if (!isChild(request)) return own.generate(request, sink, signal)
      const task = opening(request).split(']\n\n').slice(1).join('')
      const found = [...byWord].find(([word]) => task.includes(word))
      if (found === undefined) throw new Error(`no child was expected with the task ${task}`)
      return found[1].generate(request, sink, signal)
    },
  }
}
