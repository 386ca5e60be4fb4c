import { Component, type ErrorInfo, type ReactNode } from "react";

import { ErrorScreen } from "./error-screen.tsx";

interface ErrorBoundaryProps {
  /** A new key clears the error: a failure on one page has nothing to do with the next. */
  resetKey: string;
  /** Called before the content is rendered again. */
  onRetry: () => void;
  children: ReactNode;
}

interface ErrorBoundaryState {
  failure: { error: unknown; resetKey: string } | null;
  trace: string | undefined;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { failure: null, trace: undefined };

  static getDerivedStateFromError(error: unknown): Partial<ErrorBoundaryState> {
    return { failure: { error, resetKey: "" } };
  }

  static getDerivedStateFromProps(
    { resetKey }: ErrorBoundaryProps,
    { failure }: ErrorBoundaryState,
  ): Partial<ErrorBoundaryState> | null {
    if (failure === null || failure.resetKey === resetKey) return null;
    if (failure.resetKey === "") return { failure: { error: failure.error, resetKey } };
    return { failure: null, trace: undefined };
  }

  override componentDidCatch(_error: unknown, info: ErrorInfo): void {
    this.setState({ trace: info.componentStack ?? undefined });
  }

  override render(): ReactNode {
    const { failure, trace } = this.state;
    if (failure === null) return this.props.children;
    return (
      <ErrorScreen
        error={failure.error}
        trace={trace}
        onRetry={() => {
          this.props.onRetry();
          this.setState({ failure: null, trace: undefined });
        }}
      />
    );
  }
}
