// SPDX-License-Identifier: Apache-2.0
// The page, from the result that it carries.

function drawFigures(result, arms) {
  for (const id of ["effects", "bands", "search", "windows"]) byId(id).replaceChildren();
  drawEffects(result, arms);
  drawSearch(result);
  drawAllWindows(result, arms);
}

function offerDownload(name) {
  const link = byId("download");
  link.addEventListener("click", () => {
    const blob = new Blob([byId("result").textContent], { type: "application/json" });
    link.href = URL.createObjectURL(blob);
    link.download = name + ".result.json";
  });
}

function drawPage() {
  const result = JSON.parse(byId("result").textContent), arms = new Arms(result);
  tellVerdicts(result, arms);
  tellEstimates(result);
  if (!result.candidates.some((candidate) => candidate.bands.length)) byId("bands-section").hidden = true;
  else byId("bands-lead").textContent = "The same comparison, among blocks of one load only.";
  tellSearch(result);
  tellDropped(result);
  tellRemarks(result);
  tellArms(result, arms);
  tellRun(result);
  drawWays(result, arms);
  drawFigures(result, arms);
  offerDownload(result.name);
  let width = document.documentElement.clientWidth;
  addEventListener("resize", () => {
    if (document.documentElement.clientWidth === width) return;
    width = document.documentElement.clientWidth;
    drawFigures(result, arms);
  });
}

drawPage();
