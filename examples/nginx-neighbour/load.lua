-- Two numbers at the end: requests a second, and the time in seconds that 99 % of them took at most. Answers that are none
-- would make both meaningless, so then there are none.
function done(summary, latency)
  local errors = summary.errors
  if errors.connect + errors.read + errors.write + errors.status > 0 then
    io.stderr:write("nginx did not answer all requests\n")
    os.exit(1)
  end
  io.stderr:write(string.format("%.1f %.6f\n", summary.requests / summary.duration * 1e6, latency:percentile(99) / 1e6))
end
