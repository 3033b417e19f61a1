import type { EntryOf, TodoItem } from 'protocol'

/** The name of the block in which a model gets its own list again. */
const mark = 'plan'

/**
 * Formats a model’s open list word for word, for the next message to the model. The list thus stays known when the messages that set it no longer
 * fit the window. Undefined if there is no list, or if all items are done.
 */
export function openTodo(newest: Pick<EntryOf<'plan'>, 'items'> | undefined): string | undefined {
  const { items = [] } = newest ?? {}
  if (items.every(({ state }) => state === 'done')) return undefined
  const lines = items.map(
    ({ text, state }: TodoItem) => `- ${state}: ${text.replace(/<(?=\s*(?:\/\s*)?plan\b)/gi, '‹')}`,
  )
  return [`<${mark}>`, 'Your own list, as update_plan last set it. Nobody ordered it.', ...lines, `</${mark}>`].join(
    '\n',
  )
}
