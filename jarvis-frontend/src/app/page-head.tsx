import { useEffect, useState } from 'react'
import { signedIn } from '../api/auth.ts'
import { useLocation } from '../lib/location.tsx'
import { useValue } from '../lib/use-value.ts'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { phone, useMedia } from '../ui/use-media.ts'
import { visibleText } from '../ui/visible.ts'
import { useHere, usePages } from './here.ts'
import { overlay } from './overlay.ts'
import { type TabCounts, usePageTabs } from './page-tabs.tsx'
import { Presence, usePresence } from './presence.tsx'
import { Me, SessionList } from './rail.tsx'
import { WaitingButton } from './waiting.tsx'
import { useWindowName } from './window-title.ts'

type Props = {
  /** Default: the title of the page, or of the page that it is under. */
  title?: React.ReactNode
  /** The name of the one thing that the page shows, for the title of the window. Default: `title`, if it is text. */
  name?: string | undefined
  /** The list to which the page of one thing leads back. Default: the list of the page. */
  list?: { to: string; name: string } | undefined
  detail?: React.ReactNode
  /** Text under the title on a phone, in place of the presence line. */
  phoneDetail?: React.ReactNode
  /** Items that this page adds to the menu on a phone. */
  phoneActs?: React.ReactNode
  /** Numbers beside the tabs. */
  counts?: TabCounts
  /** Links in place of the tabs. */
  tabs?: React.ReactNode
  children?: React.ReactNode
}

/** The header of a page, 44 px high: title, filters, and a link to waiting cards. On a phone: presence, title and the menu. */
export function PageHead({ detail, phoneDetail, phoneActs, children, counts = {}, ...given }: Props) {
  const isPhone = useMedia(phone)
  const { words } = usePresence()
  const { key } = useLocation()
  const pages = usePages()
  const page = useHere()?.page
  const title = given.title ?? (page && pages.placeOf(page).title)
  const ownTabs = usePageTabs(counts)
  const tabs = given.tabs ?? ownTabs
  const list = page?.list === undefined ? undefined : pages.of(page.list)
  useWindowName(given.name ?? (list !== undefined && typeof title === 'string' ? title : undefined))
  const back = list && <BackTo {...(given.list ?? { to: list.path, name: list.tab ?? list.title })} />
  const [isOpen, setOpen] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu has led somewhere
  useEffect(() => setOpen(false), [key])
  const isOperator = useValue(signedIn)?.mayAsk === true
  const search = isOperator ? 'Search or run' : 'Search'
  if (isPhone) {
    return (
      <>
        <header className="top">
          {back}
          <Presence size={30} />
          <div className="cut flex-1">
            <h1 className="cut">{title}</h1>
            <small>{phoneDetail ?? words}</small>
          </div>
          <button type="button" className="icon-button" aria-label={search} onClick={() => overlay.set('palette')}>
            <Icon name="search" />
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label="Menu"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'close' : 'more'} />
          </button>
        </header>
        {tabs !== undefined && <div className="tab-row scroll">{tabs}</div>}
        {isOpen && (
          <div className="menu scroll">
            {isOperator && (
              <Link to="/" className="button" onClick={() => setOpen(false)}>
                <Icon name="plus" /> New chat
              </Link>
            )}
            {phoneActs}
            <nav className="sessions" aria-label="Sessions">
              <SessionList onChoose={() => setOpen(false)} />
            </nav>
            <Me />
          </div>
        )}
      </>
    )
  }
  return (
    <header className="head">
      {back}
      <h1 className="cut">{title}</h1>
      {tabs}
      {detail !== undefined && <span className="cut text-dim">{detail}</span>}
      {children}
      <button type="button" className="find-button" onClick={() => overlay.set('palette')}>
        <Icon name="search" />
        <span>{search}</span>
        <kbd>Ctrl K</kbd>
      </button>
      {page?.counts !== 'waiting' && <WaitingButton />}
    </header>
  )
}

function BackTo({ to, name }: { to: string; name: string }) {
  const words = `Back to ${visibleText(name)}`
  return (
    <Link to={to} className="icon-button" aria-label={words} title={words}>
      <Icon name="left" />
    </Link>
  )
}
