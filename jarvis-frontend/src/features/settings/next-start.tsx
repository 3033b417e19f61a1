import type { NextStart } from 'jarvis-backend/protocol'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'

/** The saved cluster that is not in use yet, by its first address; undefined where there is none. */
export function savedPlaces(nextStart: NextStart | undefined): string | undefined {
  const [first, ...more] = nextStart?.urls ?? []
  if (first === undefined) return undefined
  const place = first.replace('https://', '').replace(/:8006$/, '')
  return more.length === 0 ? place : `${place} and ${more.length} more`
}

/** A row for what was saved and is not in use yet. */
export function SavedRow({ name, text }: { name: string; text: string }) {
  return (
    <li>
      <Mark kind="none" size={11} />
      <span>
        {name}
        <small>saved</small>
      </span>
      <span className="text-soft">
        <Visible text={text} />
        <small>It counts from the next start of JARVIS.</small>
      </span>
    </li>
  )
}
