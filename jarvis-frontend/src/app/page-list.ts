import type { ComponentType } from 'react'
import { matchPath, type Params, type ParamsOf } from '../lib/match-path.ts'
import type { IconName } from '../ui/icon.tsx'

/**
 * `bar`: the tabs of a phone. `rail` and `foot`: both parts of the rail. `more`: the phone's list of the pages without a tab. `settings`: the list of the
 * settings, which the palette finds too.
 */
export type Place = 'bar' | 'rail' | 'foot' | 'more' | 'palette' | 'settings'

type About = {
  /** The name in the rail, the palette, the window's title and the page's header. */
  title: string
  icon: IconName
  shownIn?: readonly Place[]
  /** The letter that opens the page after `g`. */
  key?: string
  /** The path of the page that is current in the rail, and whose header this page has. Default: `list`, or the page itself. */
  under?: string
  /** The name among the tabs of the page that it is `under`. */
  tab?: string
  /** For the page of one thing: the path of the page that lists all of them. */
  list?: string
  /** Former paths. They lead to the page. */
  was?: readonly string[]
  /** A sentence about the page, for lists. */
  about?: string
  /** The page shows the whole cluster, so members cannot open it. */
  isWhole?: true
  /** The number beside the page's name. */
  counts?: 'waiting' | 'alerts'
  /** The cluster's panel is beside the page. */
  hasPanel?: true
  /** The page has a tab only if the server has this. */
  needs?: 'terminal'
  /** Shown without the shell: to a person who is signed in, or to anybody. */
  alone?: 'signed in' | 'anybody'
}
type Loaded<Path extends string> = {
  /** Forms that the parameters must have. Default: any word. */
  where?: { readonly [Param in keyof ParamsOf<Path>]?: RegExp }
  /** Loads the page, which gets the path's parameters. Absent: the page of the chat, which is part of the dashboard's first file. */
  load?: () => Promise<ComponentType<ParamsOf<Path>>>
}

/** A page of the dashboard. `path`: with parameters, as `/guest/:vmid`. A path that begins with `/#/` is that of a fragment. */
export type Page = About & {
  path: string
  where?: Readonly<Record<string, RegExp>>
  load?: () => Promise<ComponentType<Params>>
}

/** Declares a page. */
export const page = <Path extends string>(path: Path, about: About & Loaded<Path>): Page =>
  // `PageList` gives the component all parameters of the path, which the compiler cannot know.
  ({ path, ...about }) as Page

/** A page, and the parameters of its path in an address. */
export type Opened = { page: Page; params: Params }

/** The pages of the dashboard. */
export class PageList {
  readonly all: readonly Page[]

  constructor(all: readonly Page[]) {
    this.all = all
  }

  /** Returns the page of an address; undefined if no page has the address. */
  at({ pathname, hash }: { pathname: string; hash: string }): Opened | undefined {
    for (const page of this.all) {
      const params = matchPath(page.path, page.path.startsWith('/#/') ? `/${hash}` : pathname)
      if (params === undefined) continue
      const isMeant = Object.entries(page.where ?? {}).every(([name, form]) => form.test(params[name] ?? ''))
      if (isMeant) return { page, params }
    }
    return undefined
  }

  /** Returns the page that formerly had a path. */
  formerlyAt(pathname: string): Page | undefined {
    return this.all.find(({ was }) => was?.some((path) => matchPath(path, pathname) !== undefined))
  }

  /** Returns the page with exactly this path. @throws Error if there is none */
  of(path: string): Page {
    const page = this.all.find((page) => page.path === path)
    if (page === undefined) throw new Error(`No page has the path ${path}.`)
    return page
  }

  /** Returns the page that is current in the rail while this page is open. */
  placeOf(page: Page): Page {
    const above = page.under ?? page.list
    return above === undefined ? page : this.placeOf(this.of(above))
  }

  /** Returns the pages that have their tabs beside this page's, with the page itself. */
  tabsBeside(page: Page): readonly Page[] {
    return this.all.filter((other) => other.tab !== undefined && this.placeOf(other) === this.placeOf(page))
  }

  /** Returns the pages of a place that people of this rank may open. @param rank undefined before the sign-in */
  shownIn(place: Place, rank: string | undefined): readonly Page[] {
    const isFor = (page: Page) => rank !== 'member' || !(page.isWhole || this.placeOf(page).isWhole)
    return this.all.filter((page) => page.shownIn?.includes(place) && isFor(page))
  }
}
