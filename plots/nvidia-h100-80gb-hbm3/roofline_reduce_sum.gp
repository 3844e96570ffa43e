# A roofline with its data. Draw it again: gnuplot roofline_reduce_sum.gp
if (!exists("svg")) svg = "roofline_reduce_sum.svg"
if (!exists("png")) png = "roofline_reduce_sum.png"
set encoding utf8
$points << EOD
0.271566 1.4539e+10
0.272361 1.26761e+11
0.27256 5.0526e+11
0.272594 6.82396e+11
0.543132 1.49723e+10
0.544722 1.54314e+11
0.545121 7.4344e+11
0.545187 1.17488e+12
0.296145 1.40591e+10
0.297012 1.63993e+11
0.297229 5.7079e+11
0.297265 7.21373e+11
0.59229 1.44864e+10
0.594023 1.95096e+11
0.594458 9.43847e+11
0.594531 1.35235e+12
0.322948 1.14632e+10
0.323894 1.06503e+11
0.324131 4.18089e+11
0.32417 6.57743e+11
0.645897 1.22923e+10
0.647787 1.40208e+11
0.648262 7.36737e+11
0.648341 1.05778e+12
0.192026 2.65294e+09
0.192588 1.14163e+10
0.192729 4.86944e+10
0.192753 1.00686e+11
0.384053 3.08142e+09
0.385177 1.419e+10
0.385459 5.92697e+10
0.385506 1.20777e+11
0.209406 1.38514e+10
0.210019 1.52333e+11
0.210173 4.96477e+11
0.210198 6.75939e+11
0.418812 1.41113e+10
0.420038 1.6839e+11
0.420346 7.01638e+11
0.420397 1.10238e+12
0.228359 1.39982e+10
0.229027 1.50822e+11
0.229195 4.71591e+11
0.229223 6.59104e+11
0.456718 1.57668e+10
0.458055 1.80723e+11
0.45839 8.37614e+11
0.458446 1.15945e+12
0.249027 1.6096e+10
0.249756 1.63913e+11
0.249939 5.89813e+11
0.249969 6.98155e+11
0.498054 1.63845e+10
0.499512 1.9491e+11
0.499878 9.86846e+11
0.499939 1.31081e+12
EOD
$lines << EOD
0.02 1.60088e+11
7.88194 6.30902e+13


0.02 6.02792e+10
20.9327 6.30902e+13


0.02 6.23341e+10
20.2426 6.30902e+13


7.88194 6.30902e+13
100 6.30902e+13


0.176089 7.76144e+11
0.352178 7.76144e+11


0.352178 1.55229e+12
0.704355 1.55229e+12


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [0.02:100]
set yrange [1e+09:2e+14]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of reduce_sum: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 0.0221118, 2.22283e+11 left rotate by 26.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 0.0244782, 5.61271e+10 left rotate by 26.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 0.0221118, 8.65512e+10 left rotate by 26.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'fma f32 63.1 TFLOP/s' at 92.1186, 7.73237e+13 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 6-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::18-1::18-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::19-1::19-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::20-1::20-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::21-1::21-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::22-1::22-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::23-1::23-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::24-1::24-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::25-1::25-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::26-1::26-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::27-1::27-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::28-1::28-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::29-1::29-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::30-1::30-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::31-1::31-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::32-1::32-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::33-1::33-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::34-1::34-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::35-1::35-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::36-1::36-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::37-1::37-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::38-1::38-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::39-1::39-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::40-1::40-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::41-1::41-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::42-1::42-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::43-1::43-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::44-1::44-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::45-1::45-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::46-1::46-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::47-1::47-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::48-1::48-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::49-1::49-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::50-1::50-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::51-1::51-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::52-1::52-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::53-1::53-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::54-1::54-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::55-1::55-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::56-1::56-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'cub', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'torch_compile', \
  NaN with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.93 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.06 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.19 linewidth 1.6 title 'xlarge'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
