import { useEffect, useState } from 'react'
import { signedIn } from '../api/auth.ts'
import { useLocation } from '../lib/location.tsx'
import { useValue } from '../lib/use-value.ts'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { phone, useMedia } from '../ui/use-media.ts'
import { overlay } from './overlay.ts'
import { Presence, usePresence } from './presence.tsx'
import { Me, SessionList } from './rail.tsx'
import { WaitingButton } from './waiting.tsx'

type Props = {
  title: React.ReactNode
  detail?: React.ReactNode
  /** Text under the title on a phone, in place of the presence line. */
  phoneDetail?: React.ReactNode
  /** Items that this page adds to the menu on a phone. */
  phoneActs?: React.ReactNode
  /** Links to the sub-pages. */
  tabs?: React.ReactNode
  children?: React.ReactNode
}

/** The header of a page, 44 px high: title, filters, and a link to waiting cards. On a phone: presence, title and the menu. */
export function PageHead({ title, detail, phoneDetail, phoneActs, tabs, children }: Props) {
  const isPhone = useMedia(phone)
  const { words } = usePresence()
  const { pathname, key } = useLocation()
  const [isOpen, setOpen] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu has led somewhere
  useEffect(() => setOpen(false), [key])
  const isOperator = useValue(signedIn)?.mayAsk === true
  const search = isOperator ? 'Search or run' : 'Search'
  if (isPhone) {
    return (
      <>
        <header className="top">
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
      <h1 className="cut">{title}</h1>
      {tabs}
      {detail !== undefined && <span className="cut text-dim">{detail}</span>}
      {children}
      <button type="button" className="find-button" onClick={() => overlay.set('palette')}>
        <Icon name="search" />
        <span>{search}</span>
        <kbd>Ctrl K</kbd>
      </button>
      {pathname !== '/waiting' && <WaitingButton />}
    </header>
  )
}
