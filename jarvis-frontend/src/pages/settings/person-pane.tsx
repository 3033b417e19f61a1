import { useEffect, useLayoutEffect, useRef } from 'react'
import { rowOf } from '../../features/settings/people/people-list.tsx'
import { PersonPart } from '../../features/settings/people/person-part.tsx'
import { navigate } from '../../lib/location.tsx'
import { useEscape } from '../../lib/use-escape.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { useMedia } from '../../ui/use-media.ts'
import { Lately } from './lately.tsx'
import { WhatWouldHappen } from './what-would-happen.tsx'

/** On screens this narrow, a person's details fill the page, because there is no room beside the list. people.css repeats this width. */
const wholePage = matchMedia('(max-width: 1199px)')

type Props = Pick<
  React.ComponentProps<typeof PersonPart>,
  'person' | 'people' | 'given' | 'roles' | 'isOwn' | 'isResting' | 'onChanged'
> & {
  /** Path of the list without a person. */
  listAt: string
}

/** The details of the chosen person, beside the list or, on a narrow screen, in place of the settings. */
export function PersonPane({ listAt, ...person }: Props) {
  const isPage = useMedia(wholePage)
  const heading = useRef<HTMLHeadingElement>(null)
  const pane = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a window that is made wider moves no focus
  useLayoutEffect(() => {
    const row = document.getElementById(rowOf(person.person.id))
    // With the details open, the rows of the list are narrower and taller, so scroll to the person again.
    if (isPage) pane.current?.scrollIntoView({ block: 'start', behavior: 'instant' })
    else row?.scrollIntoView({ block: 'nearest', behavior: 'instant' })
    // If the page is loaded with open details, the focus does not move, unless the details fill the page.
    if (isPage || document.activeElement === row) heading.current?.focus({ preventScroll: true })
  }, [])
  useEscape(() => {
    const at = document.activeElement
    // Ignore Escape in another section of the settings.
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

/** Returns the focus to the row of the person whose details were closed, or to `instead` if the row no longer exists. */
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
