/** Begins: connects, and draws the page or why it cannot be. */
import { createRoot } from 'react-dom/client';
import { App, Locked } from './app';
import { connect } from './ask';
import './dashboard.css';

const place = document.getElementById('page');
if (place) {
  const root = createRoot(place);
  connect().then(
    (connected) => {
      root.render(<App {...connected} />);
    },
    (error: unknown) => {
      root.render(<Locked why={error instanceof Error ? error.message : String(error)} />);
    },
  );
}
