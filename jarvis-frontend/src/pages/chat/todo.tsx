import type { TodoItem } from 'protocol'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { Turning } from '../../ui/tier.tsx'
import './todo.css'

const words = { open: 'open', doing: 'being done', done: 'done' }

/** The to-do list of the model. It starts nothing. @param isFolded true: collapse the list to save space */
export function Todo({ items, isFolded = false }: { items: readonly TodoItem[]; isFolded?: boolean }) {
  if (items.every(({ state }) => state === 'done')) return null
  const done = items.filter(({ state }) => state === 'done').length
  const list = (
    <ol className="todo">
      {items.map(({ text, state }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity but their place
        <li key={at} className={state}>
          {state === 'doing' ? <Turning /> : <Mark kind={state === 'done' ? 'ok' : 'none'} size={10} />}
          <span>
            <span className="vh">{words[state]}: </span>
            <Visible text={text} />
          </span>
        </li>
      ))}
    </ol>
  )
  const title = `Its list, ${done} of ${items.length} done`
  if (!isFolded)
    return (
      <section aria-label={title}>
        <PanelHead title={title} />
        {list}
      </section>
    )
  return (
    <details className="strip todo-strip">
      <summary>{title}</summary>
      {list}
    </details>
  )
}
