import { useId, useMemo, useState } from 'react'
import { useAlerts } from '../api/alerts.ts'
import { useSessions } from '../api/sessions.ts'
import { useTools } from '../api/tools.ts'
import { guestMark } from '../features/cluster/health.ts'
import { StateMark } from '../features/cluster/state-mark.tsx'
import { useCluster } from '../features/cluster/store.ts'
import { capital } from '../lib/format.ts'
import { navigate } from '../lib/location.tsx'
import { Visible } from '../ui/boxed.tsx'
import { Icon } from '../ui/icon.tsx'
import { Tier } from '../ui/tier.tsx'
import { usePagesIn } from './here.ts'
import { leave } from './leave.ts'
import { Over } from './over.tsx'
import { overlay } from './overlay.ts'
import { type Item, itemsFor } from './palette-items.ts'
import { switchTheme } from './theme.ts'
import { useAskNew } from './use-ask.ts'

/** The command palette: finds pages, guests, sessions, tools and actions. Every action shows its tier before it is chosen. */
export function Palette() {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const { state, issues, isLive } = useCluster()
  const sessions = useSessions()
  const tools = useTools()
  const alerts = useAlerts()?.items
  const pages = usePagesIn('palette')
  const settings = usePagesIn('settings')
  const ask = useAskNew()
  const label = ask === undefined ? 'Search' : 'Search or run'
  const list = useId()
  const items = useMemo(
    () =>
      itemsFor(text, {
        pages: text.trim() === '' ? pages : [...pages, ...settings],
        cluster: state,
        sessions: sessions ?? [],
        tools: tools ?? [],
        alerts: alerts ?? [],
        mayAsk: ask !== undefined,
        markOf: (guest) => guestMark(guest, issues, isLive),
        now: Date.now(),
      }),
    [text, pages, settings, state, issues, isLive, sessions, tools, alerts, ask],
  )
  const chosen = items[Math.min(at, items.length - 1)]

  const take = (item: Item) => {
    if (item.act === 'keys') {
      overlay.set('keys')
      return
    }
    overlay.set(undefined)
    if (item.to !== undefined) navigate(item.to)
    else if (item.ask !== undefined) ask?.(item.ask)
    else if (item.act === 'new') navigate('/', { state: { write: true } })
    else if (item.act === 'theme') switchTheme()
    else if (item.act === 'sign-out') void leave()
  }
  const askText = () => {
    if (ask === undefined || text.trim() === '') return
    overlay.set(undefined)
    ask(text.trim())
  }
  const onKey = (event: React.KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }
    const next = moves[event.key]
    if (next !== undefined && (event.key.startsWith('Arrow') || text === '')) {
      event.preventDefault()
      const wrapped = (next + items.length) % Math.max(1, items.length)
      setAt(wrapped)
      document.getElementById(`${list}-${wrapped}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      if (event.ctrlKey || event.metaKey) askText()
      else if (chosen !== undefined) take(chosen)
    }
  }
  return (
    <Over label={label}>
      <div className="palette-field">
        <Icon name="search" />
        <input
          // biome-ignore lint/a11y/noAutofocus: the palette is opened to type in this field
          autoFocus
          role="combobox"
          aria-label={label}
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={chosen === undefined ? undefined : `${list}-${items.indexOf(chosen)}`}
          placeholder="A guest, a page, a tool, a session"
          value={text}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={onKey}
        />
        <kbd>Esc</kbd>
      </div>
      <PaletteList
        id={list}
        items={items}
        chosen={chosen}
        onTake={take}
        onPoint={(item) => setAt(items.indexOf(item))}
      />
      {items.length === 0 && <p className="palette-none">Nothing is called that.</p>}
      <p className="palette-foot" aria-hidden="true">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> move
        </span>
        <span>
          <kbd>↵</kbd> choose
        </span>
        {ask !== undefined && (
          <span>
            <kbd>Ctrl ↵</kbd> ask in a new chat
          </span>
        )}
      </p>
    </Over>
  )
}

type ListProps = {
  /** Each item has the element id `ID-INDEX`. */
  id: string
  items: readonly Item[]
  chosen: Item | undefined
  onTake: (item: Item) => void
  onPoint: (item: Item) => void
}

/** The found items, by group. The search field keeps the focus and handles the keys. */
function PaletteList({ id, items, chosen, onTake, onPoint }: ListProps) {
  return (
    <div id={id} role="listbox" aria-label="Found" className="palette-list scroll">
      {[...new Set(items.map(({ group }) => group))].map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
        <div key={group} role="group" aria-label={group}>
          <p aria-hidden="true">{group}</p>
          {items
            .filter((item) => item.group === group)
            .map((item) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and the keys
              <div
                key={item.key}
                id={`${id}-${items.indexOf(item)}`}
                role="option"
                aria-selected={item === chosen}
                onClick={() => onTake(item)}
                onPointerMove={() => onPoint(item)}
              >
                <ItemMark item={item} />
                <span className="cut">
                  <Visible text={group === 'Ask JARVIS to' ? capital(item.label) : item.label} />
                  {item.note !== undefined && (
                    <small>
                      {' '}
                      <Visible text={item.note} />
                    </small>
                  )}
                </span>
                <small>
                  <Visible text={item.detail} />
                </small>
              </div>
            ))}
        </div>
      ))}
    </div>
  )
}

function ItemMark({ item: { tier, mark, icon } }: { item: Item }) {
  if (tier !== undefined) return <Tier tier={tier} size={13} />
  if (mark !== undefined) return <StateMark kind={mark} size={11} />
  return icon === undefined ? <span /> : <Icon name={icon} />
}
