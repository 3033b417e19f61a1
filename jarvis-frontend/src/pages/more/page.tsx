import { PageHead } from '../../app/page-head.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import '../../app/pages.css'
import { Me, morePages, usePages } from '../../app/rail.tsx'

/** Lists, on a phone, the pages that have no tab. */
export function MorePage() {
  return (
    <>
      <PageHead title="More" />
      <div className="page scroll">
        <nav className="more-list" aria-label="More pages">
          {usePages(morePages).map(({ to, name, icon }) => (
            <Link key={to} to={to}>
              <Icon name={icon} /> <span>{name}</span> <Icon name="right" />
            </Link>
          ))}
        </nav>
        <Me />
      </div>
    </>
  )
}
