import { z } from 'zod'
import { defineRoom, type JarvisFacts } from '../../src/house.ts'
import { type Route, route } from '../../src/http/route.ts'

/** Notes of operators about nodes, until the process ends. */
class NodeNotes {
  readonly #texts = new Map<string, string>()

  /** Returns the note about a node, or an empty text. */
  of(node: string): string {
    return this.#texts.get(node) ?? ''
  }

  set(node: string, text: string): void {
    this.#texts.set(node, text)
  }

  clear(): void {
    this.#texts.clear()
  }
}

const Note = z.strictObject({ text: z.string().max(2_000) })

const noteRoutes = (notes: NodeNotes): Route[] => [
  route('/node-notes/:node').get('The note about a node.', { role: 'viewer', reply: Note }, ({ params }) => ({
    text: notes.of(params.node),
  })),
  route('/node-notes/:node').put(
    'Replaces the note about a node.',
    { role: 'operator', body: Note, reply: Note },
    ({ params, body }) => {
      notes.set(params.node, body.text)
      return body
    },
  ),
]

/** Notes of operators about nodes. Hears `cluster.left`. */
export const notesRoom = defineRoom({
  name: 'notes',
  open({ facts }: { facts: JarvisFacts }) {
    const notes = new NodeNotes()
    facts.on('cluster.left', () => notes.clear())
    return { notes, contributes: { routes: noteRoutes(notes) } }
  },
})
