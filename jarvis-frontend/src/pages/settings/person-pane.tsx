import { useEffect, useLayoutEffect, useRef } from 'react'
import { rowOf } from '../../features/settings/people/people-list.tsx'
import { PersonPart } from '../../features/settings/people/person-part.tsx'
import { WhatWouldHappen } from '../../features/settings/people/what-would-happen.tsx'
import { navigate } from '../../lib/location.tsx'
import { useEscape } from '../../lib/use-escape.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { useMedia } from '../../ui/use-media.ts'
import { Lately } from './lately.tsx'

/** Where a person takes the whole page: there is no room beside the list. The same width stands in people.css. */
const wholePage = matchMedia('(max-width: 1199px)')

type Props = Pick<
  React.ComponentProps<typeof PersonPart>,
  'person' | 'people' | 'given' | 'roles' | 'isOwn' | 'isResting' | 'onChanged'
> & {
  /** The address of the list alone. */
  listAt: string
}

/** The chosen person beside the list, or in place of the settings on a narrow screen. */
export function PersonPane({ listAt, ...person }: Props) {
  const isPage = useMedia(wholePage)
  const heading = useRef<HTMLHeadingElement>(null)
  const pane = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a window that is made wider moves no focus
  useLayoutEffect(() => {
    const row = document.getElementById(rowOf(person.person.id))
    // The rows beside a person are narrower and taller than before.
    if (isPage) pane.current?.scrollIntoView({ block: 'start', behavior: 'instant' })
    else row?.scrollIntoView({ block: 'nearest', behavior: 'instant' })
    // A page that is loaded with a person leaves the focus where it is, unless the person is all of the page.
    if (isPage || document.activeElement === row) heading.current?.focus({ preventScroll: true })
  }, [])
  useEscape(() => {
    const at = document.activeElement
    // Escape in another section of the settings is not about this one.
    if (at === document.body || pane.current?.parentElement?.contains(at) === true) navigate(listAt)
  })
  return (
    <aside ref={pane} className="person-pane" aria-label="The person">
      {isPage && (
        <Link to={listAt} className="back">
          <Icon name="right" /> People
        </Link>
      )}
      <PersonPart
        {...person}
        heading={heading}
        close={
          !isPage && (
            <Link to={listAt} className="icon-button" aria-label={`Close ${person.person.name}`}>
              <Icon name="close" />
            </Link>
          )
        }
        lately={<Lately id={person.person.id} />}
      >
        <WhatWouldHappen person={person.person} />
      </PersonPart>
    </aside>
  )
}

/** Gives the focus back to the row of a person who was closed, or to `instead` where the row is gone. */
export function useFocusBack(open: string | undefined, instead: React.RefObject<HTMLElement | null>): void {
  const before = useRef(open)
  useEffect(() => {
    const closed = open === undefined ? before.current : undefined
    before.current = open
    if (closed === undefined) return
    const row = document.getElementById(rowOf(closed)) ?? instead.current
    row?.focus({ preventScroll: true })
    row?.scrollIntoView({ block: wholePage.matches ? 'center' : 'nearest', behavior: 'instant' })
  }, [open, instead])
}
