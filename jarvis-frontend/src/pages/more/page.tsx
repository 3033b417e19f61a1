import { usePagesIn } from '../../app/here.ts'
import { PageHead } from '../../app/page-head.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import '../../app/pages.css'
import { Me } from '../../app/rail.tsx'

/** Lists, on a phone, the pages that have no tab. */
export function MorePage() {
  return (
    <>
      <PageHead />
      <div className="page scroll">
        <nav className="more-list" aria-label="More pages">
          {usePagesIn('more').map(({ path, title, icon }) => (
            <Link key={path} to={path}>
              <Icon name={icon} /> <span>{title}</span> <Icon name="right" />
            </Link>
          ))}
        </nav>
        <Me />
      </div>
    </>
  )
}
