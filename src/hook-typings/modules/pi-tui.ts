export * from '@mariozechner/pi-tui';
export * from '../legacy-keys';
