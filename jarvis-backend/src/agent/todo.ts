import type { EntryOf, TodoItem } from 'protocol'

/** The block in which a model is given its own list again. */
const mark = 'plan'

/**
 * A model's open list word for word, as the model is given it with the next message, so that the list outlives messages that no longer fit the window.
 * Undefined if there is no list, or all of it is done.
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
