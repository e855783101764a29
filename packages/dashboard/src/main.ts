import { loadAgain } from './app/load-again.ts'
import { applyTheme, currentTheme } from './lib/theme.ts'
import './styles.css'

applyTheme(currentTheme())

const root = document.getElementById('root')
if (!root) throw new Error('the page has no element "root"')
// Apart from this file: the frame of the page is painted before the rest is there, and what does not arrive is asked for again.
const { mountDashboard } = await loadAgain(() => import('./app/mount.tsx'))
mountDashboard(root)
