import type { Status } from 'protocol'
import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useStatus } from '../api/status.ts'
import { keep } from '../lib/keep.ts'
import { useLocation } from '../lib/location.tsx'
import { useValue } from '../lib/use-value.ts'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { narrow, phone, useMedia } from '../ui/use-media.ts'
import { Announcer } from './announce.tsx'
import { deleting } from './deleting.ts'
import { useHere, usePages, usePagesIn } from './here.ts'
import { later, Part } from './later.tsx'
import { overlay } from './overlay.ts'
import { PanelContext } from './panel-context.ts'
import { Rail, usePageCounts } from './rail.tsx'
import { useCardNews } from './use-card-news.ts'
import { useKeptScroll } from './use-kept-scroll.ts'
import { useKeys } from './use-keys.ts'
import { WindowTitle } from './window-title.ts'

const Demo = later(() => import('./demo.tsx').then((part) => part.Demo))
const GlassBanner = later(() => import('./glass-banner.tsx').then((part) => part.GlassBanner))
const Palette = later(() => import('./palette.tsx').then((part) => part.Palette))
const Keys = later(() => import('./keys.tsx').then((part) => part.Keys))
const UndoDelete = later(() => import('./undo-delete.tsx').then((part) => part.UndoDelete))
const CardNews = later(() => import('./card-news.tsx').then((part) => part.CardNews))
const QuestionNews = later(() => import('./card-news.tsx').then((part) => part.QuestionNews))
const Side = later(() => import('./side.tsx').then((part) => part.Side))

/** The frame around every page: rail, panel and overlays. */
export function Shell({ children }: { children: React.ReactNode }) {
  const { pathname, search } = useLocation()
  const page = useHere()?.page
  // A wall display shows the page without the frame.
  const isBare = page?.path === '/cluster' && new URLSearchParams(search).get('kiosk') === '1'
  const isPhone = useMedia(phone)
  const isNarrow = useMedia(narrow)
  const [isWideOpen, setWideOpen] = useState(true)
  const [isRailOpen, setRailOpen] = useState(true)
  const over = useValue(overlay)
  const [isSheetOpen, setSheetOpen] = useState(false)
  const isOpen = page?.hasPanel === true && !isPhone && (isNarrow ? isSheetOpen : isWideOpen)
  const panel = useMemo(
    () => ({
      isOpen,
      toggle: () => (isNarrow ? setSheetOpen(!isOpen) : setWideOpen(!isOpen)),
      close: () => setSheetOpen(false),
      isSheet: isNarrow,
      toggleRail: () => setRailOpen((isOpen) => !isOpen),
    }),
    [isOpen, isNarrow],
  )
  useKeys(panel)
  const main = useRef<HTMLElement>(null)
  useKeptScroll(main)
  const first = useCardNews()
  const status = useStatus()
  const isDemo = useDemo(status)
  return (
    <PanelContext value={panel}>
      <a className="skip" href="#main">
        To the page
      </a>
      <div className="frame">
        {!isBare && isDemo && (
          <Suspense fallback={<p className="demo" />}>
            {status === undefined ? <p className="demo" /> : <Demo status={status} />}
          </Suspense>
        )}
        {!isBare && status?.glassBroken !== undefined && (
          <Suspense fallback={null}>
            <GlassBanner broken={status.glassBroken} />
          </Suspense>
        )}
        <div className={`shell${isOpen && !isNarrow ? ' with-side' : ''}${isRailOpen && !isBare ? '' : ' bare'}`}>
          {!isPhone && isRailOpen && !isBare && <Rail />}
          <main ref={main} id="main" className="main" tabIndex={-1}>
            <Part key={pathname}>{children}</Part>
          </main>
          {isOpen && (
            <aside
              className={`side scroll${isNarrow ? ' sheet' : ''}`}
              aria-label="Cluster"
              // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
              tabIndex={0}
            >
              {isNarrow && (
                <button
                  type="button"
                  className="icon-button sheet-close"
                  aria-label="Close the cluster panel"
                  onClick={panel.close}
                >
                  <Icon name="close" />
                </button>
              )}
              <Part>
                <Suspense fallback={null}>
                  <Side />
                </Suspense>
              </Part>
            </aside>
          )}
        </div>
        {isPhone && !isBare && <Tabs />}
        <Announcer />
      </div>
      {over !== undefined && (
        <Part>
          <Suspense fallback={null}>{over === 'palette' ? <Palette /> : <Keys />}</Suspense>
        </Part>
      )}
      {useValue(deleting).some(({ isSent }) => !isSent) && (
        <Suspense fallback={null}>
          <UndoDelete />
        </Suspense>
      )}
      {first !== undefined && (
        <Suspense fallback={null}>
          {first.pending !== undefined && <CardNews first={first.pending} />}
          <QuestionNews first={first.questions} />
        </Suspense>
      )}
      <WindowTitle />
    </PanelContext>
  )
}

/**
 * True if the cluster or the model is a demo. Until the server answers, the last known value is used, so that the space of the demo strip is
 * reserved from the start.
 */
function useDemo(status: Status | undefined): boolean {
  const isDemo = status === undefined ? undefined : status.isDemoCluster || status.isDemoModel
  useEffect(() => {
    if (isDemo !== undefined) keep.set('demo', isDemo ? undefined : 'no')
  }, [isDemo])
  return isDemo ?? keep.get('demo') !== 'no'
}

function Tabs() {
  const countOf = usePageCounts(9)
  const pages = usePages()
  const here = useHere()
  const place = here && pages.placeOf(here.page)
  const tabs = usePagesIn('bar')
  const more = pages.of('/more')
  return (
    <nav className="tabs" aria-label="Main">
      {tabs.map((page) => (
        <Link key={page.path} to={page.path} aria-current={page === place ? 'page' : undefined}>
          <Icon name={page.icon} />
          {page.title}
          {countOf(page) !== undefined && <span className="badge">{countOf(page)}</span>}
        </Link>
      ))}
      <Link to={more.path} aria-current={place !== undefined && !tabs.includes(place) ? 'page' : undefined}>
        <Icon name={more.icon} />
        {more.title}
      </Link>
    </nav>
  )
}
